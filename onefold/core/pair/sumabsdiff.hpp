// The sum of the absolute differences of two arrays' elements, over pairs of finite ones.
//
//   words    limbs as in sum
//   empty    0
//   NaN      a pair with one, or with an infinity, is left out: `pairs` counts them
//   exact    yes: adds the larger element and subtracts the smaller, so no difference is rounded
#pragma once

#include "onefold/core/accumulator/sum.hpp"
#include "onefold/core/order_key.hpp"

namespace onefold::accumulator {

template <class T>
struct sumabsdiff {
  using Element = T;
  static constexpr int unit = unit_of<T>;
  static constexpr int limbs = limbs_for(value_bits<T> + (Floating<T> ? 1 : 0));
  static constexpr int words = limbs;

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, T y, Size i) {
    if (!numeric(x).finite || !numeric(y).finite) return;
    const bool swap = order_key(x) < order_key(y);
    sum<T>::lift(add, swap ? y : x, i);
    sum<T>::lift([&](int k, int64_t v) { add(k, -v); }, swap ? x : y, i);
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) { carry(w, limbs); }
};

}  // namespace onefold::accumulator
