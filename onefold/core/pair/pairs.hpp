// Counts pairs of elements, and those pairs that have no number.
//
//   words    n; pairs with a NaN; of the other pairs: those with an infinity, with an infinity in
//            the second array, and with two infinities of one sign, whose difference is a NaN
//   exact    yes
#pragma once

#include "onefold/core/accumulator_concept.hpp"

namespace onefold::accumulator {

template <class T>
struct pairs {
  using Element = T;
  enum : int { n, nan, infinite, right_infinite, same_infinity, words };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, T y, Size) {
    add(n, 1);
    if constexpr (Floating<T>) {
      const Decoded a = decode(x), b = decode(y);
      if (a.nan || b.nan) {
        add(nan, 1);
        return;
      }
      if (a.infinite || b.infinite) add(infinite, 1);
      if (b.infinite) add(right_infinite, 1);
      if (a.infinite && b.infinite && a.negative == b.negative) add(same_infinity, 1);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t*) {}
};

}  // namespace onefold::accumulator
