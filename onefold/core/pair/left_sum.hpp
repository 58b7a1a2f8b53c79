// The sum of the first array's elements, over pairs without NaN.
//
//   words    limbs as in sum
//   empty    0
//   NaN      a pair with one is left out; an infinity too, by itself: `pairs` counts them
//   exact    yes
#pragma once

#include "onefold/core/accumulator/sum.hpp"

namespace onefold::accumulator {

template <class T>
struct left_sum {
  using Element = T;
  static constexpr int unit = sum<T>::unit;
  static constexpr int limbs = sum<T>::limbs;
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, T y, Size i) {
    if (!is_nan(y)) sum<T>::lift(add, x, i);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace onefold::accumulator
