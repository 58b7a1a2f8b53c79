// Rounds integers of 64 and 128 bits, times a power of two, to floats by the chip's conversion.
#pragma once

#include "onefold/core/dtype.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// Finds the bits of v * 2^unit as a T by the chip's conversion of integers. Returns false if v is
// too small, or the number is not normal in T.
template <class T>
ONEFOLD_KERNEL bool convert(Int128 v, int unit, uint64_t& bits) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  // The leading 63 bits and the sign, rounded down. If bits below are lost, the lowest kept bit is
  // set, so that the result rounds as v does.
  const auto high = static_cast<int64_t>(v >> 64);
  const auto low = static_cast<uint64_t>(v);
  const int length = bit_length(static_cast<uint64_t>(high ^ (high >> 63))), shift = length + 1;
  if (shift > 63) return false;
  const auto kept =
      static_cast<int64_t>(static_cast<uint64_t>(high) << (64 - shift) | low >> shift);
  const bool lost = low << (64 - shift) != 0;
  const T x = static_cast<T>(kept | (lost ? 1 : 0));
  const uint64_t b = bit_cast<bits_of<T>>(x);
  const int e = unit + shift,
            field = static_cast<int>(b >> f.mantissa_bits & ((1u << f.exponent_bits) - 1)) + e;
  bits = b + (static_cast<uint64_t>(static_cast<int64_t>(e)) << f.mantissa_bits);
  return (length != 0 || (kept ^ (kept >> 63)) >> (f.mantissa_bits + 2) != 0) && field >= 1 &&
         field < (1 << f.exponent_bits) - 1;
}

// Does the same for 64 bits.
template <class T>
ONEFOLD_KERNEL bool convert(int64_t v, int unit, uint64_t& bits) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  if constexpr (sizeof(T) == 2) {
    // An f32 holds the leading 24 bits; the lowest of them is set if bits below are lost.
    const auto magnitude = static_cast<uint64_t>(v < 0 ? -v : v);
    const int length = bit_length(magnitude), shift = length > 24 ? length - 24 : 0;
    const uint64_t kept = magnitude >> shift;
    const bool lost = kept << shift != magnitude;
    uint32_t b =
        bit_cast<uint32_t>(static_cast<float>(static_cast<uint32_t>(kept) | (lost ? 1 : 0)));
    constexpr int less = 23 - f.mantissa_bits;
    b = (b + (1u << (less - 1)) - 1 + (b >> less & 1)) >> less;
    const int e = unit + shift + ((1 << (f.exponent_bits - 1)) - 1) - 127,
              field = static_cast<int>(b >> f.mantissa_bits) + e;
    bits = (b + (static_cast<uint32_t>(e) << f.mantissa_bits)) | (v < 0 ? 0x8000u : 0u);
    return v != 0 && field >= 1 && field < (1 << f.exponent_bits) - 1;
  } else {
    const T x = static_cast<T>(v);
    const uint64_t b = bit_cast<bits_of<T>>(x);
    const int field = static_cast<int>(b >> f.mantissa_bits & ((1u << f.exponent_bits) - 1)) + unit;
    bits = b + (static_cast<uint64_t>(static_cast<int64_t>(unit)) << f.mantissa_bits);
    return v != 0 && field >= 1 && field < (1 << f.exponent_bits) - 1;
  }
}

// Rounds a finite f64 to the bits of a T of at most 32 bits, ties to even.
template <class T>
ONEFOLD_KERNEL uint64_t rounded_float(double v) {
  if constexpr (sizeof(T) == 4) {
    return bit_cast<uint32_t>(static_cast<float>(v));
  } else {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr int cut = 20 - f.mantissa_bits;  // bits of the upper word that are rounded off
    constexpr int top = (1 << (f.exponent_bits - 1)) - 1;
    constexpr auto infinity = static_cast<uint32_t>(f.infinity());
    const auto bits = bit_cast<uint64_t>(v);
    const uint32_t sign = static_cast<uint32_t>(bits >> 48) & 0x8000u,
                   high = static_cast<uint32_t>(bits >> 32) & 0x7fffffffu,
                   low = static_cast<uint32_t>(bits);
    // Below the normal numbers, by adding a number whose unit is that of the subnormal ones.
    if (high < static_cast<uint32_t>(1023 + 1 - top) << 20) {
      const double unit = bit_cast<double>(static_cast<uint64_t>(1023 + f.unit + 52) << 52) * 1.5;
      const double size = bit_cast<double>(bits & ~(uint64_t{1} << 63));
      return sign | (static_cast<uint32_t>(bit_cast<uint64_t>(size + unit)) & 0x7fffu);
    }
    const uint32_t up = low != 0 || (high >> cut & 1) != 0 ? 1 : 0;
    const uint32_t rounded = ((high + (1u << (cut - 1)) - 1 + up) >> cut) -
                             (static_cast<uint32_t>(1023 - top) << f.mantissa_bits);
    return sign | (rounded < infinity ? rounded : infinity);
  }
}

}  // namespace onefold::kernel
