// Elements as f64, and answers of one f64 as bits.
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// The element as f32; of f64, as it is.
template <class T>
ONEFOLD_KERNEL auto number_of(T v) {
  if constexpr (sizeof(T) >= 4) {
    return v;
  } else {
    const uint32_t bits = bit_cast<uint16_t>(v);
    if constexpr (dtype_of<T> == DType::bf16) {
      return bit_cast<float>(bits << 16);
    } else {
      const uint32_t magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
      const float scaled = bit_cast<float>(magnitude) * 0x1p112f;
      const uint32_t of_scaled = bit_cast<uint32_t>(scaled);
      return bit_cast<float>(sign |
                             (magnitude >= 0x7c00u << 13 ? magnitude | 0x7f800000u : of_scaled));
    }
  }
}

template <class T>
ONEFOLD_KERNEL double wide_of(T v) {
  return number_of(v);
}

// Rounds v > 0 to the bits of a T narrower than f64. Ties are rounded either way: no answer is one.
template <class T>
ONEFOLD_KERNEL uint32_t rounded_bits(double v) {
  if constexpr (sizeof(T) == 4) {
    return bit_cast<uint32_t>(static_cast<float>(v));
  } else {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr int cut = 20 - f.mantissa_bits;  // bits of the upper word that are rounded off
    constexpr int top = (1 << (f.exponent_bits - 1)) - 1;
    constexpr uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
    // Below the normal numbers, by adding a number whose unit is that of the subnormal ones.
    if (v < bit_cast<double>(static_cast<uint64_t>(1023 + 1 - top) << 52)) {
      const double unit = bit_cast<double>(static_cast<uint64_t>(1023 + f.unit + 52) << 52) * 1.5;
      return static_cast<uint32_t>(bit_cast<uint64_t>(v + unit));
    }
    const auto high = static_cast<uint32_t>(bit_cast<uint64_t>(v) >> 32);
    const uint32_t bits = ((high + (1u << (cut - 1))) >> cut) -
                          (static_cast<uint32_t>(1023 - top) << f.mantissa_bits);
    return bits < infinity ? bits : infinity;
  }
}
// Rounds v > 0 with a relative error below 2^-46.5 to a T; false: not proven.
template <class T>
ONEFOLD_KERNEL bool decided_quickly(double v, uint32_t& bits) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  constexpr int least = 1023 + f.unit + f.mantissa_bits;  // field of the least normal number
  // Bits of v below those of a T, of which the upper 29 at most; an error is below `lost` of them.
  constexpr int left = 52 - f.mantissa_bits, kept = left > 29 ? 29 : left;
  constexpr auto lost = static_cast<uint32_t>(left > 29 ? 2 : 96);
  const auto all = bit_cast<uint64_t>(v);
  const auto high = static_cast<uint32_t>(all >> 32);
  const uint32_t rest = static_cast<uint32_t>(all >> (left - kept)) & ((1u << kept) - 1);
  const uint32_t from_half = rest - (1u << (kept - 1)) + lost;
  if (high >= static_cast<uint32_t>(least) << 20 && from_half > 2 * lost) {
    bits = rounded_bits<T>(v);
    return true;
  }
  bits = rounded_bits<T>(v * (1 - 0x1p-46));
  return bits == rounded_bits<T>(v * (1 + 0x1p-46));
}
template <class T>
ONEFOLD_KERNEL T of_bits(uint64_t bits) {
  return bit_cast<T>(static_cast<bits_of<T>>(bits));
}
template <class T>
ONEFOLD_KERNEL constexpr uint64_t infinity_bits(bool negative) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  return (uint64_t{negative} << f.exponent_bits | ((uint64_t{1} << f.exponent_bits) - 1))
         << f.mantissa_bits;
}
template <class T>
ONEFOLD_KERNEL constexpr uint64_t nan_bits() {
  return infinity_bits<T>(false) | uint64_t{1} << (float_format(dtype_of<T>).mantissa_bits - 1);
}

// The tables of pairs of f64 (core/exponential/powers.hpp) in shared memory.
template <class M>
struct SharedTables {
  Shared<M, double> coarse, coarse_low, fine, fine_low;
};
template <class M>
ONEFOLD_KERNEL SharedTables<M> shared_tables(M m) {
  const auto words = shared<double, int{power_words}, struct power_words_>(m);
  for (unsigned i = static_cast<unsigned>(m.thread()); i < power_words;
       i += static_cast<unsigned>(m.threads())) {
    words[i] = power_word(i);
  }
  m.sync();
  return {words, words + 64, words + 128, words + 192};
}

}  // namespace onefold::kernel
