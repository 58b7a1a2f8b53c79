// How many elements there are, and how many are not numbers.
//
//   words    n; numbers of NaN, +inf, -inf; a flag: some element other than NaN is not -0
//   exact    yes
//   note     the last word is a flag, since a count would cost every float sum two more
//            instructions a vector (docs/decisions/0001-tally-and-zeros.md)
#pragma once

#include "onefold/core/numeric.hpp"

namespace onefold::accumulator {

template <class T>
struct tally {
  using Element = T;
  enum : int { n, nan, positive_infinity, negative_infinity, not_negative_zero, words };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, Size) {
    add(n, 1);
    if constexpr (Floating<T>) {
      const Decoded d = decode(x);
      if (d.nan) {
        add(nan, 1);
        return;
      }
      if (d.infinite) add(d.negative ? negative_infinity : positive_infinity, 1);
      if (!(d.zero() && d.negative)) add(not_negative_zero, 1);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) {
    w[not_negative_zero] = w[not_negative_zero] != 0;
  }
};

}  // namespace onefold::accumulator
