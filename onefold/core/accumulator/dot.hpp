// The sum of the products of two arrays' elements, with its own counts.
//
//   words    limbs as in sumsq; n; numbers of pairs with a NaN, inf * 0, products +inf and -inf;
//            a flag: the product of some pair without NaN is not -0
//   empty    0
//   NaN      a pair with a NaN is counted and not added; so is inf * 0
//   exact    yes
#pragma once

#include "onefold/core/exact/limbs.hpp"
#include "onefold/core/numeric.hpp"

namespace onefold::accumulator {

template <class T>
struct dot {
  using Element = T;
  static constexpr int unit = 2 * unit_of<T>;
  static constexpr int limbs = limbs_for(2 * value_bits<T>);
  enum : int {
    n = limbs,
    nan,
    invalid,
    positive_infinity,
    negative_infinity,
    not_negative_zero,
    words
  };

  template <class Sink>
  ONEFOLD_FN static constexpr void lift(Sink&& add, T x, T y, Size) {
    add(n, 1);
    const Numeric a = numeric(x), b = numeric(y);
    const bool negative = a.negative != b.negative;
    if constexpr (Floating<T>) {
      const Decoded c = decode(x), d = decode(y);
      if (c.nan || d.nan) {
        add(nan, 1);
        return;
      }
      const bool zero = c.zero() || d.zero();
      if (!(zero && negative && c.finite() && d.finite())) add(not_negative_zero, 1);
      if (c.infinite || d.infinite) {
        add(zero ? invalid : negative ? negative_infinity : positive_infinity, 1);
        return;
      }
    }
    if (a.mantissa != 0 && b.mantissa != 0) {
      deposit(add, static_cast<Uint128>(a.mantissa) * b.mantissa, negative, a.shift + b.shift);
    }
  }
  ONEFOLD_FN static constexpr void canonicalise(int64_t* w) {
    carry(w, limbs);
    w[not_negative_zero] = w[not_negative_zero] != 0;
  }
};

}  // namespace onefold::accumulator
