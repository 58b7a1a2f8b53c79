// Elements of rms_norm and layer_norm by integers, which decide every rounding.
//
//   an element  a / sqrt(r) + b of integers times powers of 2: a = w (n x - S), r = n Q - S^2 + n^2
//               eps for layer_norm, and a / sqrt(r / n) of a = w x, r = Q + n eps for rms_norm
//   method      |element| is compared with numbers that lie halfway between neighbours: a^2 with
//               (half - b)^2 r. A binary search finds the answer between two given ones
//   code        the same on a processor and, in one thread, on a device
#pragma once

#include "onefold/core/accumulator/sum.hpp"
#include "onefold/core/accumulator/sumsq.hpp"
#include "onefold/core/exact/long_integer.hpp"
#include "onefold/core/layer_norm/elements.hpp"
#include "onefold/core/numeric.hpp"

namespace onefold {

// The digits of the longest number, (half - b)^2 r: r is the longer sum and 3 digits, or n^2 eps
// and what is below it; half - b is as long as a float's range.
template <class T>
inline constexpr int digits_of_norms = 2 * accumulator::sumsq<T>::limbs + 72;

// (-1)^negative digits 2^unit.
template <class Number>
struct ScaledInteger {
  Number number;
  int unit = 0;

  ONEFOLD_FN bool zero() const { return number.zero(); }
  ONEFOLD_FN int top() const {
    return unit + 32 * number.size - 32 + bit_length(uint64_t{number.digit[number.size - 1]});
  }
  // Returns it with a lower unit.
  ONEFOLD_FN ONEFOLD_COLD ScaledInteger of_unit(int lower) const {
    const int by = unit - lower;
    return {(number * Number(static_cast<Uint128>(uint64_t{1} << (by & 31)))).shifted(by >> 5),
            lower};
  }
};
template <class N>
ONEFOLD_FN ScaledInteger<N> operator*(const ScaledInteger<N>& a, const ScaledInteger<N>& b) {
  return {a.number * b.number, a.unit + b.unit};
}
template <class N>
ONEFOLD_FN ONEFOLD_COLD ScaledInteger<N> sum_of(const ScaledInteger<N>& a,
                                                const ScaledInteger<N>& b, bool minus) {
  if (a.zero()) return {minus ? -b.number : b.number, b.unit};
  if (b.zero()) return a;
  const int unit = a.unit < b.unit ? a.unit : b.unit;
  const N x = a.of_unit(unit).number, y = b.of_unit(unit).number;
  return {minus ? x - y : x + y, unit};
}
// Compares magnitudes: returns -1, 0 or 1.
template <class N>
ONEFOLD_FN ONEFOLD_COLD int compare_magnitudes(const ScaledInteger<N>& a,
                                               const ScaledInteger<N>& b) {
  if (a.zero() || b.zero()) return static_cast<int>(!a.zero()) - static_cast<int>(!b.zero());
  if (a.top() != b.top()) return a.top() < b.top() ? -1 : 1;
  const int unit = a.unit < b.unit ? a.unit : b.unit;
  const N x = a.of_unit(unit).number, y = b.of_unit(unit).number;
  return less_in_magnitude(x, y) ? -1 : static_cast<int>(less_in_magnitude(y, x));
}

//   Number  LongInteger of digits_of_norms<T>
template <class T, class Number>
class ExactNorm {
  using Scaled = ScaledInteger<Number>;

 public:
  //   sum, squares  of the row's elements, in units and squared units of T
  template <class P>
  ONEFOLD_FN ExactNorm(const Digits<P>& sum, const Digits<P>& squares, Size n, double eps,
                       bool centred)
      : n_{Number(static_cast<Uint128>(n)), 0}, centred_(centred) {
    const Scaled q{Number(squares), 2 * unit_of<T>};
    if (centred) {
      sum_ = {Number(sum), unit_of<T>};
      root_ = sum_of(sum_of(n_ * q, sum_ * sum_, true), n_ * n_ * of(eps), false);
    } else {
      root_ = sum_of(q, n_ * of(eps), false);
    }
  }

  // Returns the bits of a T. x is finite; near is the answer by pairs, whose error may be infinite.
  ONEFOLD_FN ONEFOLD_COLD uint64_t element(double x, double w, double b,
                                           const PairElement<ExponentialLane>& near) const {
    Scaled a = of(x);
    if (centred_) a = sum_of(n_ * a, sum_, true);
    if (root_.zero()) return format.nan();  // 0 / 0
    if (!(OneLane::abs(w) < OneLane::infinity()) || !(OneLane::abs(b) < OneLane::infinity())) {
      return without_numbers(a, w, b);
    }
    const bool minus = decode(x).negative != decode(w).negative;
    a = of(w) * a;
    const Scaled square = centred_ ? a * a : a * a * n_;
    const bool is_negative = a.number.negative;
    Scaled bias = of(b);
    const int sign = sign_of(square, is_negative, bias);
    if (sign == 0) return !centred_ && minus ? format.sign() : 0;
    // |element| = a' / sqrt(r) + b', whose signs are turned if the element is negative.
    const bool turned = sign < 0;
    if (turned) bias.number = -bias.number;
    uint64_t least = 0, most = format.infinity();
    const auto bounds = bounds_of_pair<ExponentialLane>(near);
    if (bounds.low * bounds.high > 0 && near.lost < OneLane::infinity()) {
      // One more on each side, since these were rounded twice.
      least = magnitude_of(turned ? bounds.high : bounds.low);
      most = magnitude_of(turned ? bounds.low : bounds.high);
      least -= least > 0 ? 1 : 0;
      most += most < format.infinity() ? 1 : 0;
    }
    while (least < most) {
      const uint64_t middle = least + (most - least) / 2;
      const int order =
          sign_of(square, is_negative != turned, sum_of(bias, half_above(middle), true));
      const bool below = order < 0 || (order == 0 && (middle & 1) == 0);
      below ? most = middle : least = middle + 1;
    }
    return least | (turned ? format.sign() : 0);
  }

 private:
  static constexpr FloatFormat format = float_format(dtype_of<T>);

  ONEFOLD_FN static Scaled of(double v) {
    const Decoded d = decode(v);
    Scaled s{Number(static_cast<Uint128>(d.mantissa)), -1074 + d.shift};
    s.number.negative = d.negative && d.mantissa != 0;
    return s;
  }
  ONEFOLD_FN static uint64_t magnitude_of(double v) {
    return bit_cast<bits_of<T>>(from_double<T>(OneLane::narrow<T>(OneLane::abs(v))));
  }
  // Returns the number halfway between the magnitude of these bits and the next one.
  ONEFOLD_FN static Scaled half_above(uint64_t bits) {
    const uint64_t one = uint64_t{1} << format.mantissa_bits, field = bits / one;
    const uint64_t mantissa = (bits & (one - 1)) | (field != 0 ? one : 0);
    return {Number(static_cast<Uint128>(2 * mantissa + 1)),
            format.unit - 1 + static_cast<int>(field != 0 ? field - 1 : 0)};
  }
  // Returns the sign of +-sqrt(square / r) + b.
  ONEFOLD_FN int sign_of(const Scaled& square, bool is_negative, const Scaled& b) const {
    const int of_root = square.zero() ? 0 : is_negative ? -1 : 1;
    const int of_b = b.zero() ? 0 : b.number.negative ? -1 : 1;
    if (of_root == 0 || of_b == 0 || of_root == of_b) return of_root != 0 ? of_root : of_b;
    return of_root * compare_magnitudes(square, b * b * root_);
  }
  // Of infinite or NaN factors: as IEEE arithmetic has it.
  ONEFOLD_FN static uint64_t without_numbers(const Scaled& a, double w, double b) {
    const double y = (a.zero() ? 0 : a.number.negative ? -w : w) + b;
    const double none = a.zero() ? 0 * w : 0;
    if (y != y || none != none) return format.nan();
    return format.infinity() | (y < 0 ? format.sign() : 0);
  }

  Scaled n_, sum_, root_;
  bool centred_;
};

}  // namespace onefold
