// Panels of what two inputs differ by.
#pragma once

#include "backend/cpu/panel.hpp"

namespace onefold::cpu_backend {

enum class PairTotal : unsigned char { squares, magnitudes };  // of x - y

// Null where a target has none, and for integers, whose states are as quick.
const PanelSums* panel_differences(Target target, PairTotal total, DType t);

}  // namespace onefold::cpu_backend
