// Panels of what two inputs differ by, of weighted means, and of how two inputs are related.
#pragma once

#include "backend/cpu/panel.hpp"
#include "onefold/gathered.hpp"

namespace onefold::cpu_backend {

// What panels of differences x - y add up.
enum class PairTotal : unsigned char { squares, magnitudes };
// Null where a target has none, and for integers, whose states are as quick.
const PanelSums* panel_differences(Target target, PairTotal total, DType t);

// Sums of products and of the second input beside them, and how their quotient is rounded.
struct PanelQuotient {
  PanelSums sums;
  RoundTotals round;
};
// The same.
const PanelQuotient* panel_weighted(Target target, DType t);

// Sums and products of both, about origins or not, and how an answer is rounded: of cov, whose
// QuickFormula divides, corr, slope, intercept and cosine. Those that share sums have one `sums`.
// Null for other formulas.
struct PanelRelation {
  const PanelSums* sums;
  RoundTotals round;
};
PanelRelation panel_relation(Target target, PairFormula formula, DType t);

}  // namespace onefold::cpu_backend
