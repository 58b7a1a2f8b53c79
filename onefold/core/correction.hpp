// ddof as an exact rational number: an integer, a short decimal, or a double that means one.
//
//   value    numerator / denominator
//   text     an integer of 64 bits, or at most 9 significant digits with an exponent of at least
//            -9, below 2^63; a double in hexadecimal digits, as C's %a writes it
//   double   its shortest decimal, if that is such a decimal: 0.1 is a tenth; else its very value,
//            which must be a multiple of 2^-29 below 2^63
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

struct Correction {
  int64_t numerator = 0;
  int64_t denominator = 1;  // from 1 to 10^9
  bool is_given = false;    // false: an op's own, which is 1 for sem, and for all others 0

  constexpr Correction() = default;
  constexpr Correction(int k) : numerator(k), is_given(true) {}
  constexpr Correction(long k) : numerator(k), is_given(true) {}
  constexpr Correction(long long k) : numerator(k), is_given(true) {}
  constexpr Correction(unsigned k) : numerator(k), is_given(true) {}
  // Larger values mean the same as 2^63 - 1, since no array has more elements.
  constexpr Correction(unsigned long k) : Correction(static_cast<unsigned long long>(k)) {}
  constexpr Correction(unsigned long long k)
      : numerator(k >> 63 == 0 ? static_cast<int64_t>(k) : 0x7fff'ffff'ffff'ffff), is_given(true) {}
  // throws bad_option: neither a short decimal nor a multiple of 2^-29; not finite; 2^63 and more
  Correction(double k);
  // Text as an option gives it: "1", "0.5", "1e-3".
  static Correction parse(const char* first, const char* last);

  // Returns the numerator, or an op's own one if nothing is given. A number that is set by hand is.
  ONEFOLD_FN constexpr int64_t numerator_or(int64_t own) const {
    return is_given || numerator != 0 || denominator != 1 ? numerator : own;
  }
  // Returns whether the denominator is in its range; anybody may set it.
  constexpr bool valid() const { return denominator > 0 && denominator <= 1000000000; }
  friend constexpr bool operator==(Correction a, Correction b) {  // compares values
    return static_cast<Int128>(a.numerator) * b.denominator ==
           static_cast<Int128>(b.numerator) * a.denominator;
  }
};

// Returns whether ddof is 1: elements are a sample, from which moments of all are estimated.
ONEFOLD_FN constexpr bool is_of_sample(const Correction& k) { return k.numerator == k.denominator; }

}  // namespace onefold
