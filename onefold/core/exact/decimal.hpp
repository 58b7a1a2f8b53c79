// Exact sums of decimal numbers as int64 words: word k has weight 10^(9 (k - 120)).
//
//   add      digits are below 10^9, so 2^33 of either sign fit before a carry pass
//   range    from 10^-1080, below the lowest digit of any f64, to 2^63 times the largest f64
//   carry    afterwards every word but the last is in [0, 10^9); equal values are equal words
//   why      binary fractions cannot hold 0.1; with nine digits a word, prices use 3 of 157 words
#pragma once

#include "onefold/core/dtype.hpp"

namespace onefold::decimal {

inline constexpr int64_t base = 1000000000;
inline constexpr int below = 120;  // words below 1: 2^-1074 has 1,074 decimals
inline constexpr int words = 157;
inline constexpr int lowest = -9 * below;

// Passes the digits of (-1)^negative * magnitude * 10^exponent to `add(word, value)`, U unsigned.
//   exponent  at least `lowest`
template <class U, class Sink>
ONEFOLD_FN constexpr void add_scaled(Sink&& add, U magnitude, bool negative, int exponent) {
  const int place = exponent - lowest;
  int64_t scale = 1;
  for (int r = place % 9; r > 0; --r) scale *= 10;
  int64_t above = 0;
  for (int k = place / 9; magnitude != 0 || above != 0; ++k) {
    const int64_t digits = static_cast<int64_t>(magnitude % static_cast<U>(base)) * scale + above;
    magnitude /= static_cast<U>(base);
    above = digits / base;
    const int64_t v = digits % base;
    if (v != 0) add(k, negative ? -v : v);
  }
}

// Carries n words: afterwards all but the last are in [0, 10^9), and the last has the rest.
ONEFOLD_FN constexpr void carry(int64_t* w, int n) {
  int64_t c = 0;
  for (int k = 0; k < n - 1; ++k) {
    // Most words are 0 and get no carry: skip four of them.
    if (c == 0 && k + 4 < n && (w[k] | w[k + 1] | w[k + 2] | w[k + 3]) == 0) {
      k += 3;
      continue;
    }
    const int64_t v = w[k] + c;
    c = 0;
    w[k] = v;
    if (v >= 0 && v < base) continue;
    c = v / base;
    w[k] = v % base;
    if (w[k] < 0) {
      w[k] += base;
      --c;
    }
  }
  w[n - 1] += c;
}

// Returns 10^k, exactly, for 0 <= k <= 22.
ONEFOLD_FN constexpr double power_of_ten(int k) {
  double p = (k & 16) != 0 ? 1e16 : 1;
  if ((k & 8) != 0) p *= 1e8;
  if ((k & 4) != 0) p *= 1e4;
  if ((k & 2) != 0) p *= 1e2;
  if ((k & 1) != 0) p *= 10;
  return p;
}

inline constexpr double most_digits = 1e15;  // each decimal of 15 digits has an f64 of its own
inline constexpr int most_exponent = 22;     // 10^22 is an f64

// The decimal number magnitude * 10^exponent.
struct Short {
  uint64_t magnitude = 0;
  int exponent = 0;
};

// Drops zeros at the end of the number while it has more than `decimals` digits behind the point.
ONEFOLD_FN constexpr void drop_zeros(Short& d, int decimals) {
  for (; d.magnitude % 10 == 0 && d.exponent < -decimals; ++d.exponent) d.magnitude /= 10;
}

// Finds the decimal of at most 15 digits and an exponent from -22 to 22, or the integer up to 2^53,
// whose nearest f64 is a > 0. There is at most one. Returns false if there is none.
//   method  for 15 digits, those of a * 10^k are wrong by less than 1/5; a division, rounded once,
//           then tells whether they are the digits of a
ONEFOLD_FN constexpr bool find_short(double a, Short& found) {
  if (a <= 0x1p53 && a == static_cast<double>(static_cast<uint64_t>(a))) {
    found = {static_cast<uint64_t>(a), 0};
    return true;
  }
  if (!(a >= 1e-22 && a < 1e37)) return false;
  // This is floor(log10 a), or 1 less.
  const int log2 = static_cast<int>(bit_cast<uint64_t>(a) >> 52) - 1023;
  const int log10 = (log2 * 1233 - (log2 < 0 ? 4095 : 0)) / 4096;
  for (int k = 14 - log10; k >= 13 - log10; --k) {
    const int up = k > most_exponent ? most_exponent : k;
    const double p = power_of_ten(up < 0 ? -up : up);
    const double scaled = up < 0 ? a / p : a * p;
    if (!(scaled < most_digits + 0.5)) continue;
    const double digits = (scaled + 0x1p52) - 0x1p52;
    if ((up < 0 ? digits * p : digits / p) != a) return false;
    found = {static_cast<uint64_t>(digits), -up};
    return true;
  }
  return false;
}

// Adds mantissa * 2^power, a multiple of 2^-1074, digit by digit.
template <class Sink>
ONEFOLD_FN constexpr void add_binary(Sink&& add, uint64_t mantissa, bool negative, int power) {
  int64_t w[words] = {};
  for (int k = below; mantissa != 0; ++k) {
    w[k] = static_cast<int64_t>(mantissa % uint64_t{base});
    mantissa /= uint64_t{base};
  }
  constexpr int bits = 29;  // bits of `power` that a step uses
  while (power > 0) {
    const int shift = power < bits ? power : bits;
    power -= shift;
    int64_t above = 0;
    for (int k = below; k < words; ++k) {
      const int64_t v = (w[k] << shift) + above;
      w[k] = v % base;
      above = v / base;
    }
  }
  while (power < 0) {
    const int shift = -power < bits ? -power : bits;
    power += shift;
    int64_t rest = 0;
    for (int k = words - 1; k >= 0; --k) {
      const int64_t v = rest * base + w[k];
      w[k] = v >> shift;
      rest = v & ((int64_t{1} << shift) - 1);
    }
  }
  for (int k = 0; k < words; ++k) {
    if (w[k] != 0) add(k, negative ? -w[k] : w[k]);
  }
}

// Adds up decimal numbers by their exponents before they become words.
class Bins {
 public:
  static constexpr int first = -48, count = 80;
  ONEFOLD_FN static constexpr bool has(int64_t exponent) {
    return exponent >= first && exponent < first + count;
  }
  // Can be called 2^62 times before the sums must be added to words.
  ONEFOLD_FN constexpr void add(uint64_t magnitude, int exponent, bool negative) {
    const auto v = static_cast<Int128>(magnitude);
    sum_[exponent - first] += negative ? -v : v;
  }
  ONEFOLD_FN constexpr void add(Int128 sum, int exponent) { sum_[exponent - first] += sum; }
  // Adds all sums to the words, which stay uncarried, and clears the sums.
  ONEFOLD_FN constexpr void add_to(int64_t* words) {
    for (int k = 0; k < count; ++k) {
      const Int128 v = sum_[k];
      if (v == 0) continue;
      sum_[k] = 0;
      const auto add = [words](int w, int64_t digits) { words[w] += digits; };
      add_scaled(add, static_cast<Uint128>(v < 0 ? -v : v), v < 0, first + k);
    }
  }

 private:
  Int128 sum_[count] = {};
};

}  // namespace onefold::decimal
