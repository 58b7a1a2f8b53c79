// The square root of a double, on a processor and on a GPU.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

ONEFOLD_FN inline double square_root(double x) {
#if defined(__CUDA_ARCH__)
  return sqrt(x);
#else
  return __builtin_sqrt(x);
#endif
}

}  // namespace onefold
