// f16 and bf16 as bits; a double is rounded to them once.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace onefold::lab::ptx {

// Rounds to a whole number as the mode of `Rounding` says.
inline double to_whole(double v, uint8_t mode) {
  return mode == 1   ? std::trunc(v)
         : mode == 2 ? std::floor(v)
         : mode == 3 ? std::ceil(v)
                     : std::nearbyint(v);
}

// Rounds a double to `digits` bits with least exponent `least`, to nearest even or as the mode of
// `Rounding` says. Values beyond a short float's range become infinity or the greatest number.
inline double to_digits(double v, int digits, int least, uint8_t mode) {
  if (v == 0 || !std::isfinite(v)) return v;
  const int unit = std::max(std::ilogb(v), least) - digits + 1;
  const double scaled = std::ldexp(v, -unit);  // fewer than 2^digits: exact
  return std::copysign(std::ldexp(to_whole(scaled, mode), unit), v);
}

// A 16-bit float: bits of its significand, with the hidden one, and its greatest exponent.
template <int digits, int greatest>
struct Short {
  static constexpr int stored = digits - 1;
  static constexpr uint16_t nan = 0x7fff;

  static double wide(uint16_t b) {
    const int e = (b & 0x7fff) >> stored;
    const int f = b & ((1 << stored) - 1);
    const double sign = (b & 0x8000) != 0 ? -1 : 1;
    if (e == 2 * greatest + 1) return f != 0 ? std::nan("") : sign * INFINITY;
    if (e == 0) return sign * std::ldexp(f, 1 - greatest - stored);
    return sign * std::ldexp(f + (1 << stored), e - greatest - stored);
  }
  static uint16_t narrow(double v, uint8_t mode = 0) {
    if (std::isnan(v)) return nan;
    const uint16_t sign = std::signbit(v) ? 0x8000 : 0;
    const double r = std::fabs(to_digits(v, digits, 1 - greatest, mode));
    const uint16_t infinity = (2 * greatest + 1) << stored;
    if (r == 0) return sign;
    if (std::isinf(r)) return sign | infinity;
    const int e = std::ilogb(r);
    if (e > greatest) {
      const bool stays = mode == 1 || (mode == 2 && sign == 0) || (mode == 3 && sign != 0);
      return static_cast<uint16_t>(sign | (stays ? infinity - 1 : infinity));
    }
    if (e < 1 - greatest) {
      return sign | static_cast<uint16_t>(std::ldexp(r, greatest - 1 + stored));
    }
    const auto f = static_cast<int>(std::ldexp(r, stored - e)) - (1 << stored);
    return static_cast<uint16_t>(sign | ((e + greatest) << stored) | f);
  }
};
using F16 = Short<11, 15>;
using Bf16 = Short<8, 127>;

}  // namespace onefold::lab::ptx
