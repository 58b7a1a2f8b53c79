// rms_norm and layer_norm of slices, each answer rounded once.
//
//   launches  of `norm` one, or two if slices have parts; then `norm_again`, which returns at once
//             if all is decided
//   bits      do not depend on teams, parts, grids or chips
#pragma once

#include "onefold/cuda/kernel/layer_norm/again.hpp"

namespace onefold::kernel {

template <class T, Walk walk, class M>
ONEFOLD_KERNEL void layer_norm(M m, const Exponential<M, T>& in, const Scratch<M>& scratch) {
  if constexpr (walk == Walk::norm_again) {
    const NormAgain<T, M> again{m, in, scratch};
    each_noted_slice(m, in, scratch, [&](Size slice) { again.slice(slice); });
  } else if (in.is_centred()) {
    NormRows<T, true, walk == Walk::norm_held, M>{m, in, scratch}.run();
  } else {
    NormRows<T, false, walk == Walk::norm_held, M>{m, in, scratch}.run();
  }
}

}  // namespace onefold::kernel
