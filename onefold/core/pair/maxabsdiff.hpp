// The greatest absolute difference of two arrays' elements, over pairs of finite ones.
//
//   words    floats: the bits of two f64, high = the difference d rounded, low = d - high; if high
//            is an infinity, low is 0. Integers: the difference, and 0
//   empty    0
//   NaN      a pair with one, or with an infinity, is left out: `pairs` counts them
//   exact    yes: the rounding error of a difference is itself an f64
//   source   Dekker, Numer. Math. 18 (1971); Knuth, TAOCP 2, 4.2.2 (two-sum)
#pragma once

#include "onefold/core/accumulator_concept.hpp"

namespace onefold::accumulator {

template <class T>
struct maxabsdiff {
  using Element = T;
  struct State {
    uint64_t high = 0;
    uint64_t low = 0;
  };
  static constexpr int words = 2;

  // Bits of f64 that are not negative compare as their values do; low may be negative.
  static constexpr bool less(const State& a, const State& b) {
    if (a.high != b.high) return a.high < b.high;
    return Floating<T> && bit_cast<double>(a.low) < bit_cast<double>(b.low);
  }
  static constexpr void merge(State& a, const State& b) {
    if (less(a, b)) a = b;
  }
  static constexpr State of(double x, double y) {
    const double a = x < y ? y : x, b = x < y ? x : y;
    const double d = a - b;
    if (d > 0x1.fffffffffffffp+1023) return {bit_cast<uint64_t>(d), 0};
    const double back = d - a, low = (a - (d - back)) - (b + back);
    return {bit_cast<uint64_t>(d + 0.0), bit_cast<uint64_t>(low + 0.0)};
  }
  static constexpr void lift(State& s, T x, T y, Size) {
    if constexpr (Floating<T>) {
      const Decoded a = decode(x), b = decode(y);
      if (a.finite() && b.finite()) merge(s, of(number(x), number(y)));
    } else {
      const Numeric a = numeric(x), b = numeric(y);
      const uint64_t p = a.negative ? 0 - a.mantissa : a.mantissa;
      const uint64_t q = b.negative ? 0 - b.mantissa : b.mantissa;
      const bool swap = a.negative != b.negative ? a.negative : p < q;
      merge(s, {swap ? q - p : p - q, 0});
    }
  }

 private:
  // Any element fits an f64 exactly.
  static constexpr double number(T x) {
    if constexpr (sizeof(T) >= 4) {
      return static_cast<double>(x);
    } else {
      const Decoded d = decode(x);
      const double unit = bit_cast<double>(
          static_cast<uint64_t>(1023 + float_format(dtype_of<T>).unit + d.shift) << 52);
      const double v = static_cast<double>(d.mantissa) * unit;
      return d.negative ? -v : v;
    }
  }
};

}  // namespace onefold::accumulator
