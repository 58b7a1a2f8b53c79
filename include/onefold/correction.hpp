// ddof as the exact rational that a short decimal spells: an integer of 64 bits, or at most 9
// significant digits with an exponent of at least -9, below 2^63.
#pragma once

#include "onefold/base.hpp"

namespace onefold {

struct Correction {
  int64_t numerator = 0;
  int64_t denominator = 1;  // a power of ten up to 10^9

  constexpr Correction() = default;
  constexpr Correction(int k) : numerator(k) {}
  constexpr Correction(long k) : numerator(k) {}
  constexpr Correction(long long k) : numerator(k) {}
  constexpr Correction(unsigned k) : numerator(k) {}
  // No array has more than 2^63 - 1 elements: what is beyond says the same as that.
  constexpr Correction(unsigned long k) : Correction(static_cast<unsigned long long>(k)) {}
  constexpr Correction(unsigned long long k)
      : numerator(k >> 63 == 0 ? static_cast<int64_t>(k) : 0x7fff'ffff'ffff'ffff) {}
  // The shortest decimal that reads back to `k`; anything longer than above throws bad_option.
  Correction(double k);
  // Text as an option gives it: "1", "0.5", "1e-3".
  static Correction parse(const char* first, const char* last);

  friend constexpr bool operator==(Correction, Correction) = default;
};

}  // namespace onefold
