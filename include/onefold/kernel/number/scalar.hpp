// Numbers as their words, the same on every machine.
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

ONEFOLD_KERNEL double make_double(uint32_t high, uint32_t low) {
  return bit_cast<double>(static_cast<uint64_t>(high) << 32 | low);
}
ONEFOLD_KERNEL int64_t bits_of_double(double d) { return bit_cast<int64_t>(d); }
// A modifier of the instruction that takes it: as logic on bits it would be an instruction.
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
// x, or -x where y is negative.
ONEFOLD_KERNEL double times_sign_of(double x, double y) {
  return bit_cast<double>(bit_cast<uint64_t>(x) ^ (bit_cast<uint64_t>(y) & uint64_t{1} << 63));
}

// x * y + z, rounded once.
ONEFOLD_KERNEL double fused(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
  return fma(x, y, z);
#else
  return __builtin_fma(x, y, z);
#endif
}

// The upper word of (high, low) * 2^shift, shift < 32.
ONEFOLD_KERNEL uint32_t shifted_in(uint32_t low, uint32_t high, uint32_t shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_l(low, high, shift);
#else
  return static_cast<uint32_t>(((static_cast<uint64_t>(high) << 32 | low) << shift) >> 32);
#endif
}

// v, of which the compiler knows nothing: it would move a mask behind a shift, and make it twice.
ONEFOLD_KERNEL uint32_t opaque(uint32_t v) {
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(v));
#endif
  return v;
}

// x * 2^-896 from the bits of a finite f32, subnormals too: two integer instructions instead of a
// conversion.
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

// 1.5 * 2^(52 + e - bias): adding it to x leaves x in units of 2^(e - bias) in the low bits.
ONEFOLD_KERNEL double magic(int e) {
  return make_double(static_cast<uint32_t>(e) << 20 | 0x80000u, 0);
}

// Moves the part of x above half a unit of a window into it; what is left is returned.
ONEFOLD_KERNEL double take(double& window, double x) {
  const double t = window + x;
  x -= t - window;
  window = t;
  return x;
}

// The sum of a warp's int64 as low + high * 2^44, by three instructions of the whole warp.
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

// The number of the lowest bit that is set; one is.
ONEFOLD_KERNEL unsigned lowest_bit(uint32_t bits) {
  return static_cast<unsigned>(bit_length(uint64_t{bits & (0 - bits)}) - 1);
}

}  // namespace onefold::kernel
