// Rounding as an instruction names it.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "lab/ptx/decode.hpp"

namespace onefold::lab::ptx {

enum Rounding : uint8_t { to_nearest, to_zero, down, up };

inline int host_rounding(uint8_t mode) {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  return modes[mode & 3];
}

// f() under a rounding of the host. The barrier keeps the compiler from moving the arithmetic.
template <class T, class F>
[[gnu::noinline]] T rounded(uint8_t mode, F f) {
  if (mode == to_nearest) return f();
  std::fesetround(host_rounding(mode));
  asm volatile("" ::: "memory");
  T v = f();
  asm volatile("" : "+x"(v)::"memory");
  std::fesetround(FE_TONEAREST);
  return v;
}

// Keeps what is known at compile time from being computed then.
template <class T>
inline T opaque(T v) {
  asm volatile("" : "+x"(v));
  return v;
}

inline uint8_t take_rounding(Decoding& d) {
  const auto r = d.take_any({"rn", "rz", "rm", "rp"});
  return r == "rz" ? to_zero : r == "rm" ? down : r == "rp" ? up : to_nearest;
}

template <class T>
T flushed(T v) {
  return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(T(0), v) : v;
}
template <class T>
T clamped(T v) {
  return std::isnan(v) ? T(0) : v < T(0) ? T(0) : v > T(1) ? T(1) : v == T(0) ? T(0) : v;
}
// A GPU's NaN has all bits set below the sign, of f32; of f64 it is the quiet one.
template <class T>
T canonical(T v) {
  if (!std::isnan(v)) return v;
  if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(uint32_t{0x7fffffff});
  } else {
    return std::bit_cast<double>(uint64_t{0x7ff8000000000000});
  }
}

}  // namespace onefold::lab::ptx
