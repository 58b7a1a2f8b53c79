// Bounds of elements as f32, and their rounding to types of 16 bits.
#pragma once

#include "onefold/cuda/kernel/exponential/numbers.hpp"

namespace onefold::kernel {

// Bounds of an element; if one is NaN, nothing is proven.
struct FloatBounds {
  float low, high;
};
inline constexpr uint32_t float_nan = 0x7fc00000;

// The "vector" of one f32, as far as two_sum takes one.
struct FloatLane {
  using V = float;
  ONEFOLD_FN static V add(V a, V b) { return a + b; }
  ONEFOLD_FN static V sub(V a, V b) { return a - b; }
  ONEFOLD_FN static V abs(V a) { return bit_cast<V>(bit_cast<uint32_t>(a) & 0x7fffffff); }
};

// Rounds two numbers to a type of 16 bits; the first one is the lower half.
template <class T>
ONEFOLD_KERNEL uint32_t two_rounded(float a, float b) {
#if defined(__CUDA_ARCH__)
  uint32_t bits = 0;
  if constexpr (dtype_of<T> == DType::bf16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(b), "f"(a));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(b), "f"(a));
  }
  return bits;
#else
  return bit_cast<bits_of<T> >(from_double<T>(a)) |
         uint32_t{bit_cast<bits_of<T> >(from_double<T>(b))} << 16;
#endif
}
// Rounds n elements to a type of 16 bits; returns whether none of them has another bound.
template <class T, unsigned n>
ONEFOLD_KERNEL bool all_rounded(const FloatBounds (&y)[n], T (&to)[n]) {
  uint32_t differ = 0;
  ONEFOLD_UNROLL
  for (unsigned k = 0; k < n; k += 2) {
    const unsigned next = k + 1 < n ? k + 1 : k;
    const uint32_t low = two_rounded<T>(y[k].low, y[next].low);
    differ |= low ^ two_rounded<T>(y[k].high, y[next].high);
    to[k] = of_bits<T>(low & 0xffff);
    if (next != k) to[next] = of_bits<T>(low >> 16);
  }
  return differ == 0;
}
// Returns whether a bound is not the other one, and so the element is not proven.
template <class T>
ONEFOLD_KERNEL bool is_open(const FloatBounds& y) {
  const uint32_t bits = two_rounded<T>(y.low, y.high);
  return bits >> 16 != (bits & 0xffff);
}

}  // namespace onefold::kernel
