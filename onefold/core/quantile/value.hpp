// The value of a quantile from its two neighbours, rounded once: one text for tables, arrays and
// kernels.
//
//   value   x + (y - x) * rest / of = (x (of - rest) + y rest) / of; x itself if rest is 0 or
//           both are the same number
//   zeros   of -0 and +0, and of x and -x halfway: +0; a negative value that rounds to 0 is -0
//   not finite  between infinities of both signs NaN; between a number and an infinity that one
#pragma once

#include "onefold/core/exact/real.hpp"
#include "onefold/core/quantile/key.hpp"
#include "onefold/core/quantile/place.hpp"

namespace onefold {

// The type of quantiles: the type of floats itself; for all other types f64.
constexpr DType quantile_type(DType t) { return is_floating(t) ? t : DType::f64; }

namespace detail {

// mantissa * weight * 2^exponent, for weights below 2^127: at most 191 bits.
ONEFOLD_FN ONEFOLD_COLD constexpr Leading weighted_number(uint64_t mantissa, Uint128 weight,
                                                          int exponent) {
  if (mantissa == 0 || weight == 0) return Leading();
  uint32_t digit[6] = {};
  Uint128 low = static_cast<Uint128>(static_cast<uint64_t>(weight)) * mantissa;
  const Uint128 high = static_cast<Uint128>(static_cast<uint64_t>(weight >> 64)) * mantissa +
                       static_cast<uint64_t>(low >> 64);
  low = static_cast<uint64_t>(low);
  for (int k = 0; k < 6; ++k) {
    digit[k] = static_cast<uint32_t>(k < 2 ? low >> 32 * k : high >> 32 * (k - 2));
  }
  int first = 0, last = 5;
  while (digit[last] == 0) --last;
  while (digit[first] == 0) ++first;
  return leading_digits([&](int k) { return digit[k]; }, first, last, exponent);
}

// A number as (-1)^negative * mantissa * 2^exponent.
struct QuantileNumber {
  uint64_t mantissa = 0;
  int exponent = 0;
  bool negative = false, infinite = false;
};
template <class T>
ONEFOLD_FN constexpr QuantileNumber quantile_number(T x) {
  if constexpr (Floating<T>) {
    const Decoded d = decode(x);
    return {d.mantissa, float_format(dtype_of<T>).unit + d.shift, d.negative, d.infinite};
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return {uint64_t{x.byte != 0}, 0, false, false};
  } else {
    const auto bits = static_cast<uint64_t>(x);
    const bool negative =
        kind_of(dtype_of<T>) == Kind::signed_integer && static_cast<int64_t>(bits) < 0;
    return {negative ? 0 - bits : bits, 0, negative, false};
  }
}

ONEFOLD_FN ONEFOLD_COLD constexpr uint64_t value_between(const QuantileNumber& x,
                                                         const QuantileNumber& y,
                                                         const QuantilePlace& place,
                                                         FloatFormat format) {
  if (x.infinite || y.infinite) {
    if (x.infinite && y.infinite && x.negative != y.negative) return format.nan();
    return format.infinity() | ((x.infinite ? x.negative : y.negative) ? format.sign() : 0);
  }
  const Leading a = weighted_number(x.mantissa, place.of - place.rest, x.exponent),
                b = weighted_number(y.mantissa, place.rest, y.exponent);
  // Bits that `combine` drops are 128 bits or more below a number of at most 191 bits, which then
  // decides nearly all of the sum: they are below any bit that rounding looks at.
  const bool swap = compare(a, b) < 0, minus = x.negative != y.negative;
  Real mean;
  mean.numerator = combine(swap ? b : a, swap ? a : b, minus);
  mean.negative = mean.numerator.zero() ? x.negative && y.negative : swap ? y.negative : x.negative;
  mean.n = place.of;
  if (place.of >> 92 != 0) {  // then it is a multiple of a large power of 10
    mean.left = 10000000000000000000u;
    mean.n = place.of / mean.left;
  }
  return round_float(mean, format);
}

// The mean of two floats by one addition, if the addition and the halving round at most once
// together; 16 bits are added as integers.
template <class T>
ONEFOLD_FN constexpr bool quick_middle(T low, T high, uint64_t* bits) {
  constexpr FloatFormat format = float_format(dtype_of<T>);
  if constexpr (sizeof(T) == 2) {
    const Decoded a = decode(low), b = decode(high);
    const int least = a.shift < b.shift ? a.shift : b.shift;
    if (!a.finite() || !b.finite() || a.shift + b.shift - 2 * least > 48) return false;
    const auto x = static_cast<int64_t>(a.mantissa << (a.shift - least)),
               y = static_cast<int64_t>(b.mantissa << (b.shift - least)),
               sum = (a.negative ? -x : x) + (b.negative ? -y : y);
    if (sum == 0) return false;
    const auto size = static_cast<uint64_t>(sum < 0 ? -sum : sum);
    const int up = 64 - bit_length(size);
    *bits = round_leading(size << up, format.unit + least - 1 - up, false, sum < 0, format);
  } else {
    const T sum = low + high;
    const uint64_t is = bit_cast<bits_of<T>>(sum),
                   exponent = (is & ~format.sign()) >> format.mantissa_bits;
    if (exponent < 4 || exponent >= (uint64_t{1} << format.exponent_bits) - 1) return false;
    *bits = bit_cast<bits_of<T>>(static_cast<T>(sum / 2));
  }
  return true;
}

}  // namespace detail

// The bits of the value between two numbers of type T, given by their keys, rounded once to a float
// type.
template <class T>
ONEFOLD_FN constexpr uint64_t quantile_between(uint64_t low_key, uint64_t high_key,
                                               const QuantilePlace& place, DType type) {
  const T low = element_of<T>(low_key);
  const bool between = place.rest > 0 && low_key != high_key;
  if constexpr (Floating<T>) {
    if (!between) return bit_cast<bits_of<T>>(low);
  }
  const T high = between ? element_of<T>(high_key) : low;
  if constexpr (Floating<T>) {
    uint64_t bits = 0;
    if (place.rest == place.of - place.rest && detail::quick_middle(low, high, &bits)) return bits;
  }
  return detail::value_between(detail::quantile_number(low), detail::quantile_number(high),
                               between ? place : QuantilePlace{}, float_format(type));
}

}  // namespace onefold
