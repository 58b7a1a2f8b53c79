// Elements of rms_norm and layer_norm, one at a time.
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/core/layer_norm/row.hpp"

namespace onefold {

namespace one_lane {
#define ONEFOLD_QUICK_FN ONEFOLD_FN
#include "onefold/core/layer_norm/elements.inl"
#undef ONEFOLD_QUICK_FN
}  // namespace one_lane

}  // namespace onefold
