// Rounds the exact sum of two or three f64 once, to any float type.
//
//   source   Boldo and Melquiond, Emulation of a FMA and correctly rounded sums: proved algorithms
//            using rounding to odd, 2008
#pragma once

#include "onefold/core/exact/real.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

// Returns s = h + l and what the rounding of s has lost.
struct TwoSum {
  double sum, rest;
  ONEFOLD_KERNEL TwoSum(double h, double l) : sum(h + l) {
    const double b = sum - h;
    rest = (h - (sum - b)) + (l - b);
  }
  // Returns h + l rounded to odd: of the two neighbours of an inexact sum, the one whose last bit
  // is set. `more`: the sum is a little greater than h + l.
  ONEFOLD_KERNEL double odd(bool more) const {
    const int64_t b = bits_of_double(sum);
    if ((rest == 0 && !more) || (b & 1) != 0) return sum;
    return bit_cast<double>(b + ((rest >= 0) == (sum > 0) ? 1 : -1));
  }
};

// Converts an f64, of which T keeps at most 24 bits, to the nearest T, ties to even. Returns false
// if it is subnormal in a T of 16 bits.
template <class T>
ONEFOLD_KERNEL bool narrow(double x, T& r) {
  if constexpr (sizeof(T) == 4) {
    r = static_cast<T>(x);
    return true;
  } else {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr int drop = 52 - f.mantissa_bits, less = 1023 - ((1 << (f.exponent_bits - 1)) - 1);
    constexpr uint64_t infinity = f.infinity();
    const auto b = static_cast<uint64_t>(bits_of_double(x));
    const uint64_t m = b << 1 >> 1;
    uint64_t q = (m + ((uint64_t{1} << (drop - 1)) - 1) + (m >> drop & 1)) >> drop;
    q -= static_cast<uint64_t>(less) << f.mantissa_bits;
    q = m == 0 ? 0 : q < infinity ? q : infinity;
    r = {static_cast<uint16_t>(b >> 63 << 15 | q)};
    return m == 0 || static_cast<int>(m >> 52) > less;
  }
}

// Finds h + l, rounded once. An f32 that is subnormal must be h + l itself; returns false for other
// types' subnormal numbers.
//   more  the sum is greater than h + l, by less than a quarter of the T's last bit
template <class T>
ONEFOLD_KERNEL bool round_sum(double h, double l, bool more, T& r) {
  constexpr int drop = 52 - float_format(dtype_of<T>).mantissa_bits;
  double s = h + l;
  // Between two neighbours of T the rounded s decides as well as the sum itself, except half-way.
  constexpr uint64_t half = uint64_t{1} << (drop - 1);
  if ((static_cast<uint64_t>(bits_of_double(s)) & (2 * half - 1)) == half) {
    s = TwoSum(h, l).odd(more);
  }
  return narrow(s, r);
}
ONEFOLD_KERNEL double rounded_sum(double h, double m, double l, bool more) {
  const TwoSum low(m, l), high(h, low.sum);
  return high.sum + TwoSum(high.rest, low.rest).odd(more);
}

}  // namespace onefold::kernel
