// Rounds as an instruction says.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "lab/ptx/decode.hpp"

namespace onefold::lab::ptx {

enum Rounding : uint8_t { to_nearest, to_zero, down, up };

// Software arithmetic with 113 bits of significand. It holds any product of two numbers, and
// WebAssembly has it, which otherwise rounds only to nearest.
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quad;
#else
typedef long double Quad;
#endif

// Returns -1 if `exact` is below `nearest`, 1 if above, 0 if equal or NaN.
template <class T>
int error_sign(T exact, T nearest) {
  return exact < nearest ? -1 : exact > nearest ? 1 : 0;
}
// Does the same for the sum of a and b: their rounded sum decides, or else its rounding error.
inline int error_sign(Quad a, Quad b, Quad nearest) {
  const Quad sum = a + b, from_b = sum - a;
  const Quad lost = (a - (sum - from_b)) + (b - from_b);
  const int s = error_sign(sum, nearest);
  return s != 0 ? s : error_sign(lost, Quad(0));
}

// Rounds in another direction than to nearest; `error` is the sign of the exact value minus it.
template <class T>
T directed(uint8_t mode, T nearest, int error) {
  const T infinity = std::numeric_limits<T>::infinity();
  if (mode == to_zero) mode = nearest > T(0) ? down : nearest < T(0) ? up : to_nearest;
  if (mode == down && error < 0) return std::nextafter(nearest, -infinity);
  if (mode == up && error > 0) return std::nextafter(nearest, infinity);
  return nearest;
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
// Minimum and maximum (`most`): of a NaN and a number the number, or with `nan` the NaN;
// -0 is less than +0.
template <class T>
T extreme_of(T a, T b, bool most, bool nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (nan || (std::isnan(a) && std::isnan(b))) return std::numeric_limits<T>::quiet_NaN();
    return std::isnan(a) ? b : a;
  }
  if (a == b) return std::signbit(a) == most ? b : a;
  return (a < b) == most ? b : a;
}
// A GPU's NaN: for f32 all bits below the sign are set; for f64 it is the quiet NaN.
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
