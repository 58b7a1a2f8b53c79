// Panels of what two inputs differ by, and of weighted means.
#pragma once

#include "backend/cpu/panel.hpp"

namespace onefold::cpu_backend {

enum class PairTotal : unsigned char { squares, magnitudes };  // of x - y

// Null where a target has none, and for integers, whose states are as quick.
const PanelSums* panel_differences(Target target, PairTotal total, DType t);

// Sums of products and of the second input beside them, and how their quotient is rounded.
struct PanelQuotient {
  PanelSums sums;
  RoundTotals round;
};
// The same.
const PanelQuotient* panel_weighted(Target target, DType t);

}  // namespace onefold::cpu_backend
