// The sum of the squares of the second array's elements, over pairs without NaN.
//
//   words    limbs as in sumsq
//   empty    0
//   NaN      a pair with one is left out; an infinity too, by itself: `pairs` counts them
//   exact    yes
#pragma once

#include "onefold/core/accumulator/sumsq.hpp"

namespace onefold::accumulator {

template <class T>
struct right_sumsq {
  using Element = T;
  static constexpr int unit = sumsq<T>::unit;
  static constexpr int limbs = sumsq<T>::limbs;
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, T y, Size i) {
    if (!is_nan(x)) sumsq<T>::lift(add, y, i);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace onefold::accumulator
