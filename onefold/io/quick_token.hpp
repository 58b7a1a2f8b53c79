// Parses common numbers faster still: a token of less than 16 bytes is read by one load.
//
//   speed    one bit mask gives the positions of sign, point, exponent and end, so the next token
//            is found before this one's digits are read; a shuffle makes the digits contiguous, and
//            three multiplications give their value
//   needs    SSE4.1; tokens that it refuses go to quick_number
//   source   W. Mula, SIMD-ized parsing of integers (2014): the multiplications
#pragma once

#if defined(__x86_64__)
#define ONEFOLD_QUICK_TOKEN
#include <smmintrin.h>

#include "onefold/io/quick_number.hpp"

#ifdef __clang__
#define ONEFOLD_QUICK_TOKEN_BEGIN \
  _Pragma("clang attribute push(__attribute__((target(\"sse4.1\"))), apply_to = function)")
#define ONEFOLD_QUICK_TOKEN_END _Pragma("clang attribute pop")
#else
#define ONEFOLD_QUICK_TOKEN_BEGIN _Pragma("GCC push_options") _Pragma("GCC target(\"sse4.1\")")
#define ONEFOLD_QUICK_TOKEN_END _Pragma("GCC pop_options")
#endif

ONEFOLD_QUICK_TOKEN_BEGIN
namespace onefold::io {
namespace detail {

// 16 bytes from `ramp + n`: byte k is k + n - 16, the index of the byte to move there so that n
// bytes are at the end; negative ones give 0. From `gap + n`: -1, but 0 in the last n.
alignas(64) inline constexpr signed char ramp[32] = {
    -16, -15, -14, -13, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1,
    0,   1,   2,   3,   4,   5,   6,   7,  8,  9,  10, 11, 12, 13, 14, 15};
alignas(64) inline constexpr signed char gap[32] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                                    -1, -1, -1, -1, -1, 0,  0,  0,  0,  0,  0,
                                                    0,  0,  0,  0,  0,  0,  0,  0,  0,  0};

inline __m128i load16(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }

// Returns the number that 16 decimal digits form, the most significant first.
inline uint64_t number_of(__m128i digits) {
  const __m128i tens = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010a));
  const __m128i hundreds = _mm_madd_epi16(tens, _mm_set1_epi32(0x00010064));
  const __m128i packed = _mm_packus_epi32(hundreds, hundreds);
  const __m128i halves = _mm_madd_epi16(packed, _mm_set1_epi32(0x00012710));
  const auto both = static_cast<uint64_t>(_mm_cvtsi128_si64(halves));
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}

}  // namespace detail

// Does the same as quick_number, for tokens of less than 16 bytes if one operation gives the value.
template <class F>
[[gnu::always_inline]] inline bool quick_token(const char* p, F& value, const char*& stop) {
  using Format = fast_float::binary_format<F>;
  const __m128i digits = _mm_sub_epi8(detail::load16(p), _mm_set1_epi8('0'));
  const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
  // A bit for each byte that is no digit; the bit after them is set, too.
  unsigned others = ~static_cast<unsigned>(_mm_movemask_epi8(is_digit)) & 0x1ffff;
  const bool negative = *p == '-';
  const unsigned sign = negative || *p == '+' ? 1 : 0;
  others &= ~sign;
  const auto first = static_cast<unsigned>(__builtin_ctz(others));
  unsigned end = first, fraction = 16, count = first - sign;  // fraction = 16: no point
  int exponent = 0;
  if (p[first] == '.') {
    others &= others - 1;
    if (others == 0) return false;
    end = static_cast<unsigned>(__builtin_ctz(others));
    fraction = end - first - 1;
    count += fraction;
    exponent = -static_cast<int>(fraction);
  }
  if (end >= 16 || count == 0) return false;
  unsigned last = end;
  if ((p[end] | 32) == 'e') {
    others &= others - 1;
    if (others == 0) return false;
    const bool down = p[end + 1] == '-';
    unsigned from = end + 1;
    if (down || p[from] == '+') {
      ++from;
      others &= others - 1;
      if (others == 0) return false;
    }
    last = static_cast<unsigned>(__builtin_ctz(others));
    const unsigned n = last - from;
    if (n == 0 || n > 2) return false;
    int e = p[from] - '0';
    if (n == 2) e = e * 10 + (p[from + 1] - '0');
    exponent += down ? -e : e;
  }
  if (!is_separator(p[last])) return false;
  const __m128i places =
      _mm_add_epi8(detail::load16(detail::ramp + end), detail::load16(detail::gap + fraction));
  const __m128i row = _mm_shuffle_epi8(_mm_and_si128(digits, is_digit), places);
  const uint64_t m = detail::number_of(row);
  // Both numbers are exact, so one operation rounds once.
  constexpr int most = sizeof(F) == 8 ? 22 : 10;
  if (m > uint64_t{1} << (Format::mantissa_explicit_bits() + 1) || exponent < -most ||
      exponent > most) {
    return false;
  }
  stop = p + last;
  const F number = static_cast<F>(static_cast<int64_t>(m));
  const F scaled = exponent <= 0 ? number / Format::exact_power_of_ten(-exponent)
                                 : number * Format::exact_power_of_ten(exponent);
  value = with_sign(scaled, negative);
  return true;
}

}  // namespace onefold::io
ONEFOLD_QUICK_TOKEN_END
#endif
