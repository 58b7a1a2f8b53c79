// Tracks the magnitudes of the floats, of up to 32 bits, that a lane adds. They bound the error of
// plain additions in f64, so only sums of a few elements need TwoSum.
//
// A sum of n elements is exact if n times the greatest magnitude is below 2^53 units in the last
// place of the smallest magnitude other than 0. Elements of f16 span 40 binades, so sums of up to
// 2^13 of them always are exact.
#pragma once

#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

template <class T>
struct MagnitudeRange {
  static constexpr bool plain = true, needed = dtype_of<T> != DType::f16, halves = sizeof(T) == 2;
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  static constexpr int bias = (1 << (format.exponent_bits - 1)) - 1;
  // The greatest magnitude of words, or of both halves of each; and the least magnitude other than
  // 0, minus 1.
  uint32_t greatest = 0, least = ~0u;

  ONEFOLD_KERNEL void add(T x) {
    if constexpr (!needed) {
    } else if constexpr (halves) {
      const uint32_t a = x.bits & 0x7fffu, less = (a - 1) | 0xffff0000u;
      greatest = a > greatest ? a : greatest;
      least = less < least ? less : least;
    } else {
      const uint32_t a = bit_cast<uint32_t>(x) & 0x7fffffffu;
      greatest = a > greatest ? a : greatest;
      least = a - 1 < least ? a - 1 : least;
    }
  }
  // For two halves, in a lane that adds no single elements.
  template <class M>
  ONEFOLD_KERNEL void add_word(M m, uint32_t word) {
    if constexpr (needed && halves) {
      const uint32_t a = word & 0x7fff7fffu;
      greatest = m.max_halves(greatest, a);
      least = min_of_predecessor(a, least);
    }
  }
  // Bounds the error of sums of `n` elements, in chains of at most `depth` additions. The
  // magnitudes added at one level sum to at most n times the greatest.
  ONEFOLD_KERNEL double lost(double n, double depth) const {
    const int binades = static_cast<int>(bit_cast<uint64_t>(n) >> 52) - 1022;  // n < 2^binades
    if constexpr (!needed) return binades <= 13 ? 0 : depth * n * 0x1p-37;
    const auto top = static_cast<int>(high() >> format.mantissa_bits),
               bottom = static_cast<int>((low() + 1) >> format.mantissa_bits);
    // Subnormal numbers have the unit of the smallest normal number.
    const int digits = top + 1 - (bottom > 1 ? bottom : 1) + format.mantissa_bits;
    if (digits + binades <= 53) return 0;
    return depth * n * bit_cast<double>(static_cast<uint64_t>(top + 1 - bias - 53 + 1023) << 52);
  }

 private:
  ONEFOLD_KERNEL uint32_t high() const {
    return halves ? pick(greatest & 0xffffu, greatest >> 16, true) : greatest;
  }
  ONEFOLD_KERNEL uint32_t low() const {
    return halves ? pick(least & 0xffffu, least >> 16, false) : least;
  }
  ONEFOLD_KERNEL static uint32_t pick(uint32_t a, uint32_t b, bool larger) {
    return (a > b) == larger ? a : b;
  }
};
// Tracks nothing: sums know their own error, or whole words were tracked before.
struct NoRange {
  static constexpr bool plain = false;
  template <class T>
  ONEFOLD_KERNEL void add(T) {}
};
struct KnownRange : NoRange {
  static constexpr bool plain = true;
};

}  // namespace onefold::kernel
