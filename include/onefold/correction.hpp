// ddof as an exact rational number. It may be an integer, the decimal number that a text spells, or
// exactly the value that a double has.
//
//   value    numerator / denominator / 2^shift
//   text     an integer of 64 bits, or at most 9 significant digits with an exponent of at least
//            -9, below 2^63; a double's value in hexadecimal digits, as C's %a writes it
//   double   any finite one below 2^63: 0.1 is 0x1.999999999999ap-4, not a tenth
#pragma once

#include "onefold/base.hpp"

namespace onefold {

struct Correction {
  int64_t numerator = 0;
  int64_t denominator = 1;  // from 1 to 10^9
  int64_t shift = 0;        // from 0 to 1074, which the smallest double needs

  constexpr Correction() = default;
  constexpr Correction(int k) : numerator(k) {}
  constexpr Correction(long k) : numerator(k) {}
  constexpr Correction(long long k) : numerator(k) {}
  constexpr Correction(unsigned k) : numerator(k) {}
  // Larger values mean the same as 2^63 - 1, since no array has more elements.
  constexpr Correction(unsigned long k) : Correction(static_cast<unsigned long long>(k)) {}
  constexpr Correction(unsigned long long k)
      : numerator(k >> 63 == 0 ? static_cast<int64_t>(k) : 0x7fff'ffff'ffff'ffff) {}
  // throws bad_option: not finite, or 2^63 and more
  Correction(double k);
  // Text as an option gives it: "1", "0.5", "1e-3".
  static Correction parse(const char* first, const char* last);

  // Returns whether the fields are in their ranges; anybody may set them.
  constexpr bool valid() const {
    return denominator > 0 && denominator <= 1000000000 && shift >= 0 && shift <= 1074;
  }
  // Returns whether (n - ddof) times denominator times 2^shift is below 2^96, so that a kernel can
  // divide by it.
  ONEFOLD_FN constexpr bool fits(Size n) const {
    return bit_length(n) + bit_length(static_cast<uint64_t>(denominator)) + shift <= 95;
  }
  // Compares values. A shift is used only if no denominator can hold the value, so equal values
  // have equal shifts.
  friend constexpr bool operator==(Correction a, Correction b) {
    return a.shift == b.shift && static_cast<Int128>(a.numerator) * b.denominator ==
                                     static_cast<Int128>(b.numerator) * a.denominator;
  }
};

}  // namespace onefold
