// Panels of two inputs, element by element.
#pragma once

#include "backend/cpu/panel.hpp"
#include "onefold/gathered.hpp"

namespace onefold::cpu_backend {

// What panels of x and y add up.
enum class PairSums : unsigned char {
  squared_differences,
  distances,       // |x - y|
  weighted,        // products, and y
  second_moments,  // products and squares
  all_moments      // and x and y; of narrow types all less the first elements of their answer
};
// Null where a target has none, and for integers, whose states are as quick.
const PanelSums* panel_pairs(Target target, PairSums sums, DType t);

// How a number is rounded that is more than a QuickFormula of one sum; a spread takes the
// QuickFormula's divisors. Null for other numbers.
RoundTotals panel_pair_round(Target target, Recipe::Name number);

}  // namespace onefold::cpu_backend
