// Takes numbers apart into words and makes them from words, with the same results everywhere.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

ONEFOLD_KERNEL double make_double(uint32_t high, uint32_t low) {
  return bit_cast<double>(static_cast<uint64_t>(high) << 32 | low);
}
ONEFOLD_KERNEL int64_t bits_of_double(double d) { return bit_cast<int64_t>(d); }
// Lets the compiler use the |x| that the chip's instructions take as an operand: clearing the sign
// bit by logic would be one more instruction.
ONEFOLD_KERNEL float absolute(float x) {
#if defined(__CUDA_ARCH__)
  return fabsf(x);
#else
  return __builtin_fabsf(x);
#endif
}
ONEFOLD_KERNEL double absolute(double x) {
#if defined(__CUDA_ARCH__)
  return fabs(x);
#else
  return __builtin_fabs(x);
#endif
}
// Returns x, or -x if y is negative.
ONEFOLD_KERNEL double times_sign_of(double x, double y) {
  return bit_cast<double>(bit_cast<uint64_t>(x) ^ (bit_cast<uint64_t>(y) & uint64_t{1} << 63));
}

// Returns x * y + z, rounded once.
ONEFOLD_KERNEL double fused(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
  return fma(x, y, z);
#else
  return __builtin_fma(x, y, z);
#endif
}

// Returns the upper word of (high, low) * 2^shift, shift < 32.
ONEFOLD_KERNEL uint32_t shifted_in(uint32_t low, uint32_t high, uint32_t shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(low, high, shift);
#else
  return static_cast<uint32_t>(((static_cast<uint64_t>(high) << 32 | low) << shift) >> 32);
#endif
}

// Hides v's origin from the compiler, which would move a mask behind a shift and compute it twice.
ONEFOLD_KERNEL uint32_t opaque(uint32_t v) {
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(v));
#endif
  return v;
}

// Returns x * 2^-896 for the bits of a finite f32, also a subnormal one: two integer instructions
// instead of a conversion.
ONEFOLD_KERNEL double scaled_double(uint32_t f32) {
  const int64_t wide = static_cast<int64_t>(static_cast<int32_t>(f32)) * (int64_t{1} << 29);
  return make_double(static_cast<uint32_t>(wide >> 32) & 0x8fffffffu, static_cast<uint32_t>(wide));
}

ONEFOLD_KERNEL float fused(float x, float y, float z) {
#if defined(__CUDA_ARCH__)
  return fmaf(x, y, z);
#else
  return __builtin_fmaf(x, y, z);
#endif
}

// Returns 1.5 * 2^(52 + e - bias). In the sum of it and x, the low bits are x in units of 2^(e -
// bias).
ONEFOLD_KERNEL double magic(int e) {
  return make_double(static_cast<uint32_t>(e) << 20 | 0x80000u, 0);
}

// Moves x, rounded to a multiple of the window's unit, into the window; returns the remainder.
ONEFOLD_KERNEL double take(double& window, double x) {
  const double t = window + x;
  x -= t - window;
  window = t;
  return x;
}

// A warp's sum of int64 as low + high * 2^44, made by three instructions of the whole warp.
struct WarpSum {
  int64_t low, high;
};
template <class M>
ONEFOLD_KERNEL WarpSum warp_sum(M m, int64_t v) {
  const uint32_t a = m.redux_add(static_cast<uint32_t>(v) & 0x3fffff);
  const uint32_t b = m.redux_add(static_cast<uint32_t>(v >> 22) & 0x3fffff);
  const int c = m.redux_add(static_cast<int>(v >> 44));
  return {static_cast<int64_t>(a) + (static_cast<int64_t>(b) << 22), c};
}

// Returns the number of the lowest bit that is set; at least one must be.
ONEFOLD_KERNEL unsigned lowest_bit(uint32_t bits) {
  return static_cast<unsigned>(bit_length(uint64_t{bits & (0 - bits)}) - 1);
}

// Returns between sqrt(x) and 1.07 sqrt(x), for bounds: half of x's exponent and mantissa. NaN if x
// is not finite.
ONEFOLD_KERNEL double root_above(double x) {
  const uint64_t half = (bit_cast<uint64_t>(x) >> 1) + (uint64_t{1023} << 51);
  return fused(x, 0.0, bit_cast<double>(half));
}

}  // namespace onefold::kernel
