// Panels of two arrays, whose elements are combined pair by pair.
#pragma once

#include "backend/cpu/panel.hpp"
#include "onefold/gathered.hpp"

namespace onefold::cpu_backend {

// The sums that a panel of x and y computes.
enum class PairSums : unsigned char {
  squared_differences,
  distances,       // |x - y|
  weighted,        // sums of products, and of y
  second_moments,  // sums of products and of squares
  all_moments      // those, and sums of x and y; narrow types subtract their answer's first
                   // elements
};
// Returns null for targets without such panels, and for integers, whose states are as quick.
const PanelSums* panel_pairs(Target target, PairSums sums, DType t);

// Returns the function that rounds answers of this formula; null if it is made of one sum. A spread
// uses the divisors of the QuickFormula.
RoundTotals panel_pair_round(Target target, Recipe::Name number);

}  // namespace onefold::cpu_backend
