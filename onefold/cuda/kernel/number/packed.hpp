// Arithmetic with four bytes or two halves in a word, with the same results on every machine.
#pragma once

#include "onefold/core/dtype.hpp"
#include "onefold/cuda/kernel/either.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// A 32-bit integer type with or without a sign.
template <bool with_sign>
using Narrow = Either<with_sign, int32_t, uint32_t>;

// Returns c + the products of the bytes of a and b, with or without signs.
ONEFOLD_KERNEL int32_t dot_bytes(int32_t c, uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __dp4a(static_cast<int>(a), static_cast<int>(b), c);
#else
  for (int k = 0; k < 32; k += 8) c += static_cast<int8_t>(a >> k) * static_cast<int8_t>(b >> k);
  return c;
#endif
}
ONEFOLD_KERNEL uint32_t dot_bytes(uint32_t c, uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __dp4a(a, b, c);
#else
  for (int k = 0; k < 32; k += 8) c += (a >> k & 0xff) * (b >> k & 0xff);
  return c;
#endif
}

// Returns c + the products of a's halves and b's lower two bytes, with or without signs.
ONEFOLD_KERNEL int32_t dot_halves(int32_t c, uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __dp2a_lo(static_cast<int>(a), static_cast<int>(b), c);
#else
  for (int k = 0; k < 2; ++k) {
    c += static_cast<int16_t>(a >> 16 * k) * static_cast<int8_t>(b >> 8 * k);
  }
  return c;
#endif
}
ONEFOLD_KERNEL uint32_t dot_halves(uint32_t c, uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __dp2a_lo(a, b, c);
#else
  for (int k = 0; k < 2; ++k) c += (a >> 16 * k & 0xffff) * (b >> 8 * k & 0xff);
  return c;
#endif
}

// Spreads signs: returns four bytes, each 0xff or 0. Byte k shows the sign of w's byte i, if the
// k-th hexadecimal digit of the selector is 8 + i.
ONEFOLD_KERNEL uint32_t spread_signs(uint32_t w, uint32_t selector) {
#if defined(__CUDA_ARCH__)
  uint32_t r;
  asm("prmt.b32 %0, %1, 0, %2;" : "=r"(r) : "r"(w), "r"(selector));
  return r;
#else
  uint32_t r = 0;
  for (int k = 0; k < 4; ++k) {
    if ((w >> 8 * (selector >> 4 * k & 3) & 0x80) != 0) r |= 0xffu << 8 * k;
  }
  return r;
#endif
}

// Returns -1 for each byte below zero, else 1: a dot product with them sums magnitudes.
ONEFOLD_KERNEL uint32_t signs_of_bytes(uint32_t w) { return spread_signs(w, 0xba98) | 0x01010101u; }
// Returns the same for the two halves of a word, as its lower two bytes.
ONEFOLD_KERNEL uint32_t signs_of_halves(uint32_t w) {
#if defined(__CUDA_ARCH__)
  uint32_t r;
  asm("prmt.b32 %0, %1, 0, 0x00b9;" : "=r"(r) : "r"(w));
  return r | 0x0101u;
#else
  return ((w >> 15 & 1) | (w >> 31) << 8) * 0xff | 0x0101u;
#endif
}

// Work on the elements of a word: bytes or halves, by the size of T. `signs_of` returns bytes: -1
// for each element below zero, else 1.
template <class T, class V>
ONEFOLD_KERNEL V dot_elements(V c, uint32_t a, uint32_t b) {
  if constexpr (sizeof(T) == 1) {
    return dot_bytes(c, a, b);
  } else {
    return dot_halves(c, a, b);
  }
}
template <class T>
ONEFOLD_KERNEL uint32_t signs_of(uint32_t w) {
  if constexpr (kind_of(dtype_of<T>) != Kind::signed_integer) return 0x01010101u;
  return sizeof(T) == 1 ? signs_of_bytes(w) : signs_of_halves(w);
}

// Returns 0x80 for each byte that is zero, and 0 for others.
ONEFOLD_KERNEL uint32_t zero_bytes(uint32_t w) {
  return ~(((w & 0x7f7f7f7fu) + 0x7f7f7f7fu) | w) & 0x80808080u;
}

// Returns the minima of both halves, as signed numbers.
ONEFOLD_KERNEL uint32_t min_signed_halves(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmins2(a, b);
#else
  const auto low = [](uint32_t x) { return static_cast<int16_t>(x); };
  return (low(a >> 16) < low(b >> 16) ? a >> 16 : b >> 16) << 16 |
         ((low(a) < low(b) ? a : b) & 0xffff);
#endif
}
ONEFOLD_KERNEL uint32_t max_signed_halves(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmaxs2(a, b);
#else
  return ~min_signed_halves(~a, ~b);
#endif
}
// Returns min(a - 1, b) for both halves, as unsigned numbers; 0 - 1 is the greatest.
ONEFOLD_KERNEL uint32_t min_of_predecessor(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __viaddmin_u16x2(a, ~0u, b);
#else
  const auto smaller = [](uint32_t x, uint32_t y) { return x < y ? x : y; };
  return smaller(((a >> 16) - 1) & 0xffff, b >> 16) << 16 |
         smaller(((a & 0xffff) - 1) & 0xffff, b & 0xffff);
#endif
}

// Returns z with NaN in each half in which w has NaN or an infinity; only signs may also change.
template <class T>
ONEFOLD_KERNEL uint32_t poison(uint32_t w, uint32_t z) {
#if defined(__CUDA_ARCH__)
  if constexpr (dtype_of<T> == DType::f16) {
    asm("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(z) : "r"(w), "r"(0));
  } else {
    asm("fma.rn.bf16x2 %0, %1, %2, %0;" : "+r"(z) : "r"(w), "r"(0));
  }
#else
  constexpr uint32_t infinity = dtype_of<T> == DType::f16 ? 0x7c00 : 0x7f80;
  for (int k = 0; k < 32; k += 16) {
    if ((w >> k & infinity) == infinity) z |= 0x7fffu << k;
  }
#endif
  return z;
}

// Converts an f16 to f32, exactly.
ONEFOLD_KERNEL float f32_of(float16 x) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(x.bits));
  return f;
#else
  const Decoded d = decode(x);
  if (!d.finite()) {
    return bit_cast<float>((d.nan ? 0x7fffffffu : 0x7f800000u) | (d.negative ? 1u << 31 : 0));
  }
  const double unit = bit_cast<double>(static_cast<uint64_t>(1023 - 24 + d.shift) << 52);
  const double magnitude = static_cast<double>(d.mantissa) * unit;
  return static_cast<float>(d.negative ? -magnitude : magnitude);
#endif
}

ONEFOLD_KERNEL float f32_of(bfloat16 x) { return bit_cast<float>(uint32_t{x.bits} << 16); }
ONEFOLD_KERNEL float f32_of(float x) { return x; }
// Returns an element as an f64: exactly, but for integers of 64 bits.
template <class T>
ONEFOLD_KERNEL double f64_of(T x) {
  if constexpr (Floating<T> && sizeof(T) == 2) {
    return static_cast<double>(f32_of(x));
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return x.byte != 0 ? 1 : 0;
  } else {
    return static_cast<double>(x);
  }
}
// Returns the bits of a number that an f16 holds exactly.
ONEFOLD_KERNEL uint32_t bits_of_half(float x) {
  const uint32_t b = bit_cast<uint32_t>(x), sign = b >> 16 & 0x8000u, a = b & 0x7fffffffu;
  constexpr uint32_t normal = (127 - 14) << 23, above = (127 + 16) << 23, rebias = (127 - 15) << 23;
  if (a >= above) return sign | (a > 0xffu << 23 ? 0x7e00u : 0x7c00u);
  if (a >= normal) return sign | (a - rebias) >> 13;
  return sign | static_cast<uint32_t>(bit_cast<float>(a) * 0x1p24f);
}
// Returns the float of type T whose value x is.
template <class T>
ONEFOLD_KERNEL T exact_float(float x) {
  if constexpr (sizeof(T) == 4) {
    return x;
  } else if constexpr (dtype_of<T> == DType::bf16) {
    return bit_cast<T>(static_cast<uint16_t>(bit_cast<uint32_t>(x) >> 16));
  } else {
    return bit_cast<T>(static_cast<uint16_t>(bits_of_half(x)));
  }
}
// Returns the greater (or smaller) of two numbers, or NaN if one of them is; +0 is above -0.
template <bool greatest>
ONEFOLD_KERNEL float extreme_or_nan(float a, float b) {
#if defined(__CUDA_ARCH__)
  float r;
  if constexpr (greatest) {
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  } else {
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  }
  return r;
#else
  if (a != a || b != b) return a != a ? a : b;
  const bool above = a == b ? bit_cast<uint32_t>(a) >> 31 == 0 : a > b;
  return above == greatest ? a : b;
#endif
}

ONEFOLD_KERNEL uint32_t greater_half(uint32_t w) {
  return (w & 0xffff) > w >> 16 ? w & 0xffff : w >> 16;
}
ONEFOLD_KERNEL uint32_t smaller_half(uint32_t w) {
  return (w & 0xffff) < w >> 16 ? w & 0xffff : w >> 16;
}

}  // namespace onefold::kernel
