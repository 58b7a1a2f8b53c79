// logsumexp, logmeanexp, softmax and log_softmax of slices, each answer rounded once.
//
//   launches  of `exponential_rows` one, or two if slices have parts; then `exponential_again`,
//             which returns at once if all is decided. States have one launch, or two
//             if slices have parts; answers of states one
//   bits      do not depend on teams, parts, grids or chips
#pragma once

#include "onefold/cuda/kernel/exponential/again.hpp"
#include "onefold/cuda/kernel/exponential/held.hpp"
#include "onefold/cuda/kernel/exponential/rows.hpp"
#include "onefold/cuda/kernel/exponential/state_rows.hpp"

namespace onefold::kernel {

//   pair   of `exponential_rows`: by two f64 an element
template <class T, Walk walk, bool pair = false, class M>
ONEFOLD_KERNEL void exponential(M m, const Exponential<M, T>& in, const Scratch<M>& scratch) {
  constexpr bool held = walk == Walk::softmax_held;
  if constexpr (held && sizeof(T) == 8) {
    ExponentialRows<T, true, true, true, M>{m, in, scratch}.run();
  } else if constexpr (held) {
    if (in.is_log()) {
      HeldRows<T, true, M>{m, in, scratch}.run();
    } else {
      HeldRows<T, false, M>{m, in, scratch}.run();
    }
  } else if constexpr (walk == Walk::logsumexp || walk == Walk::softmax) {
    ExponentialRows<T, walk == Walk::softmax, pair || sizeof(T) == 8, false, M>{m, in, scratch}
        .run();
  } else if constexpr (walk == Walk::logsumexp_state) {
    StateRows<T, M>{m, in, scratch}.run();
  } else if constexpr (walk == Walk::logsumexp_merge) {
    MergedStates<T, M>{m, in}.run();
  } else {
    ExponentialAgain<T, walk == Walk::softmax_again, M>{m, in, scratch}.run();
  }
}

}  // namespace onefold::kernel
