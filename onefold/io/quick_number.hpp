// Parses common numbers quickly: at most 19 digits and a short exponent. It gives the same values
// as parse_number, which must parse the numbers that this one refuses.
//
//   speed   1 to 7 digits take the same time, since 8 bytes are read as one word
//   source  D. Lemire, Number parsing at a gigabyte per second (2021)
#pragma once

#include <fast_float/fast_float.h>

#include <cstring>

#include "onefold/io/number.hpp"

namespace onefold::io {

// So many bytes behind a text must be readable, since tables are read 64 bytes at a time.
inline constexpr std::size_t text_padding = 64;

namespace detail {

inline constexpr uint64_t ten_to[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};

// Reads up to 8 digits at p; returns how many there are, and their value.
inline unsigned digits_at(const char* p, uint64_t& value) {
  uint64_t w = 0;
  std::memcpy(&w, p, sizeof w);
  const uint64_t low = w - 0x3030303030303030;
  // The top bit of the first byte that is no digit is set correctly; later ones may not be.
  const uint64_t others = ((w + 0x4646464646464646) | low) & 0x8080808080808080;
  const unsigned n = others == 0 ? 8 : static_cast<unsigned>(__builtin_ctzll(others)) / 8;
  // The first digit is in the lowest byte, so zeros are shifted in below, in two short shifts.
  uint64_t v = low << 4 * (8 - n) << 4 * (8 - n);
  v = v * 10 + (v >> 8);
  value = ((v & 0x000000ff000000ff) * 0x000f424000000064 +
           (v >> 16 & 0x000000ff000000ff) * 0x0000271000000001) >>
          32;
  return n;
}

// Reads digits that follow those of m; the value is right for up to 19 digits in all.
inline const char* digit_run(const char* p, uint64_t& m) {
  for (;;) {
    uint64_t v = 0;
    const unsigned n = digits_at(p, v);
    m = m * ten_to[n] + v;
    p += n;
    if (n < 8) return p;
  }
}

}  // namespace detail

// Returns -x if the number is negative, otherwise x; x >= +0.
template <class F>
constexpr F with_sign(F x, bool negative) {
  using Bits = bits_of<F>;
  return bit_cast<F>(
      static_cast<Bits>(bit_cast<Bits>(x) | static_cast<Bits>(negative) << (8 * sizeof(F) - 1)));
}

// Returns m * 10^exponent, rounded once. False: undecided or out of range; parse_number decides.
template <class F>
[[gnu::always_inline]] inline bool scaled(uint64_t m, int64_t exponent, bool negative, F& value) {
  using Format = fast_float::binary_format<F>;
  // Both numbers are exact, so one operation rounds once.
  if (m <= uint64_t{1} << (Format::mantissa_explicit_bits() + 1) && exponent <= 0 &&
      exponent >= -(sizeof(F) == 8 ? 22 : 10)) {
    const F number = static_cast<F>(static_cast<int64_t>(m));
    value = with_sign(number / Format::exact_power_of_ten(-exponent), negative);
    return true;
  }
  const fast_float::adjusted_mantissa a = fast_float::compute_float<Format>(exponent, m);
  if (a.power2 < 0 || a.power2 >= Format::infinite_power()) return false;
  const auto bits = static_cast<bits_of<F>>(
      a.mantissa | static_cast<uint64_t>(a.power2) << Format::mantissa_explicit_bits() |
      static_cast<uint64_t>(negative) << (8 * sizeof(F) - 1));
  value = bit_cast<F>(bits);
  return true;
}

// A number as its token has it: digits * 10^exponent. digits = 0: it was not recorded.
struct Spelt {
  uint64_t digits = 0;
  int64_t exponent = 0;
};

// Parses f32 or f64. False: parse_number must parse it. Inlined by force, since calls and spills
// would take a quarter of the time. A separator is the text's last byte, or follows it.
template <class F>
[[gnu::always_inline]] inline bool quick_number(const char* p, F& value, const char*& stop,
                                                Spelt* spelt = nullptr) {
  const bool negative = *p == '-';
  // No branches, since signs are unpredictable.
  p += static_cast<int>(negative) | static_cast<int>(*p == '+');
  const char* const whole = p;
  uint64_t m = 0;
  p = detail::digit_run(p, m);
  auto digits = p - whole;
  int64_t exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    p = detail::digit_run(p, m);
    exponent = fraction - p;
    digits -= exponent;
  }
  if (digits == 0 || digits > 19) return false;
  if ((*p | 32) == 'e') {
    ++p;
    const bool down = *p == '-';
    p += down || *p == '+';
    uint64_t e = 0;
    const unsigned n = detail::digits_at(p, e);
    if (n == 0 || n == 8) return false;
    p += n;
    exponent += down ? -static_cast<int64_t>(e) : static_cast<int64_t>(e);
  }
  if (!is_separator(*p)) return false;
  stop = p;
  if (spelt != nullptr) *spelt = {m, exponent};
  return scaled(m, exponent, negative, value);
}

}  // namespace onefold::io
