// rms_norm and layer_norm of slices, each answer rounded once.
//
//   launches  of `norm` one, or two if slices have parts; then `norm_again`, which returns at once
//             if all is decided
//   bits      do not depend on teams, parts, grids or chips
#pragma once

#include "onefold/cuda/kernel/layer_norm/again.hpp"

namespace onefold::kernel {

//   pair   of `norm`: by two f64 an element
template <class T, Walk walk, bool pair = false, class M>
ONEFOLD_KERNEL void layer_norm(M m, const Exponential<M, T>& in, const Scratch<M>& scratch) {
  if constexpr (walk == Walk::norm) {
    NormRows<T, pair || sizeof(T) == 8, M>{m, in, scratch}.run();
  } else {
    const NormAgain<T, M> again{m, in, scratch};
    each_noted_slice(m, in, scratch, [&](Size slice) { again.slice(slice); });
  }
}

}  // namespace onefold::kernel
