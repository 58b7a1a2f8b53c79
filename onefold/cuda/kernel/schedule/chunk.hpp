// A chunk (a lane's share of a tile) as 32-bit words, and tests of it that several feeds need.
#pragma once

#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

// A lane's share of a tile, as 32-bit words.
template <class T, int U>
struct Chunk {
  static constexpr int words = 4 * U;
  static constexpr int elements = 16 * U / sizeof(T);
  static constexpr int vector = 16 / sizeof(T);
  uint32_t w[words];

  // Returns element k as bits of its type.
  ONEFOLD_KERNEL bits_of<T> bits(int k) const {
    if constexpr (sizeof(T) == 8) {
      return static_cast<uint64_t>(w[2 * k + 1]) << 32 | w[2 * k];
    } else {
      constexpr int in_word = 4 / sizeof(T);
      return static_cast<bits_of<T>>(w[k / in_word] >> (k % in_word * 8 * sizeof(T)));
    }
  }
  ONEFOLD_KERNEL T element(int k) const { return bit_cast<T>(bits(k)); }

  // For floats: returns the word with the sign and the exponent; f16 and bf16 are converted to f32.
  ONEFOLD_KERNEL uint32_t high(int k) const {
    if constexpr (dtype_of<T> == DType::f16) {
      return bit_cast<uint32_t>(f32_of(element(k)));
    } else if constexpr (dtype_of<T> == DType::bf16) {
      return k % 2 == 0 ? w[k / 2] << 16 : w[k / 2] & 0xffff0000u;
    } else {
      static_assert(sizeof(T) >= 4);
      return sizeof(T) == 8 ? w[2 * k + 1] : w[k];
    }
  }
  // Returns a key that orders magnitudes well enough to compare them with a power of two. 0 has the
  // greatest key; a tiny f64 whose high word is 0 has the least.
  ONEFOLD_KERNEL uint32_t magnitude_key(int k) const {
    return high(k) * 2 - (sizeof(T) <= 4 || w[2 * k] == 0 ? 1 : 0);
  }
  ONEFOLD_KERNEL void set(int k, bits_of<T> b) {
    if constexpr (sizeof(T) == 8) {
      w[2 * k] = static_cast<uint32_t>(b);
      w[2 * k + 1] = static_cast<uint32_t>(b >> 32);
    } else {
      constexpr int in_word = 4 / sizeof(T), width = 8 * sizeof(T);
      const uint32_t mask = (~0u >> (32 - width)) << k % in_word * width;
      w[k / in_word] = (w[k / in_word] & ~mask) | static_cast<uint32_t>(b) << k % in_word * width;
    }
  }
};

// Sets the elements of `out` to -0, which adds nothing, and leaves a sum of -0 as it is.
template <class T, int U>
ONEFOLD_KERNEL void take_out(Chunk<T, U>& c, uint32_t out) {
  if (out == 0) return;
  ONEFOLD_UNROLL
  for (int k = 0; k < Chunk<T, U>::elements; ++k) {
    if ((out >> k & 1) == 0) continue;
    if constexpr (sizeof(T) == 8) {
      c.w[2 * k] = 0;
      c.w[2 * k + 1] = 0x80000000u;
    } else {
      c.w[k] = 0x80000000u;
    }
  }
}
// Returns whether all elements, of a float type, are -0.
template <class T, int U>
ONEFOLD_KERNEL bool only_negative_zeros(const Chunk<T, U>& c) {
  uint32_t other = 0;
  ONEFOLD_UNROLL
  for (int k = 0; k < Chunk<T, U>::words; ++k) {
    const bool high = sizeof(T) < 8 || k % 2 == 1;
    other |= c.w[k] ^ (!high ? 0 : sizeof(T) == 2 ? 0x80008000u : 0x80000000u);
  }
  return other == 0;
}

// For f16 and bf16: the largest magnitude, and the least one other than 0, minus 1 (0xffff if all
// are 0).
struct EndsOfHalves {
  uint32_t top, bottom;
};
template <class T, int U, class M>
ONEFOLD_KERNEL EndsOfHalves ends_of_halves(M m, const Chunk<T, U>& c) {
  uint32_t most = 0, least = ~0u;
  ONEFOLD_UNROLL
  for (int k = 0; k < c.words; ++k) {
    const uint32_t u = c.w[k] & 0x7fff7fffu;
    most = m.max_halves(most, u);
    least = min_of_predecessor(u, least);
  }
  return {greater_half(most), smaller_half(least)};
}

// Returns whether the product of elements k is -0; neither is NaN or infinite.
template <class T, int U>
ONEFOLD_KERNEL bool is_negative_zero(const Chunk<T, U>& x, const Chunk<T, U>& y, int k) {
  const bool zero = x.magnitude_key(k) == ~0u || y.magnitude_key(k) == ~0u;
  return zero && (x.high(k) ^ y.high(k)) >> 31 != 0;
}

}  // namespace onefold::kernel
