// Panels of two arrays, whose elements are combined pair by pair.
#pragma once

#include "backend/cpu/panel.hpp"
#include "onefold/gathered.hpp"

namespace onefold::cpu_backend {

// The sums that a panel of x and y computes.
enum class PairSums : unsigned char {
  squared_differences,
  distances,       // |x - y|
  weighted,        // products, and y
  second_moments,  // products and squares
  all_moments      // and x and y; of narrow types all less the first elements of their answer
};
// Null for targets without such panels, and for integers, whose states are as quick.
const PanelSums* panel_pairs(Target target, PairSums sums, DType t);

// The function that rounds an answer that needs more than one sum; a spread uses the divisors of
// the QuickFormula. Null for other names.
RoundTotals panel_pair_round(Target target, Recipe::Name number);

}  // namespace onefold::cpu_backend
