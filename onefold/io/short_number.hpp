// Parses the most common field of a table faster: a number of at most 16 characters and a sign,
// without exponent, whose ends are known.
//
//   speed   no branches, except to refuse a field: 16 bytes are read that end with the number,
//           bytes before it are cleared, a shuffle removes the point, then multiplications as in
//           quick_token
//   needs   16 readable bytes before the number; other parsers read the fields that it refuses
#pragma once

#include "onefold/io/field_ends.hpp"

#ifdef ONEFOLD_FIELD_ENDS
#include <limits>

#include "onefold/io/quick_token.hpp"

ONEFOLD_FIELD_ENDS_BEGIN
namespace onefold::io {
namespace detail {

// From `last_bytes + n` on, 16 bytes: -1 in the last n, and 0 before.
alignas(64) inline constexpr signed char last_bytes[32] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

// Row k removes byte k and moves the bytes before it up by one. Rows 15 (a point behind all digits,
// which is no digit) and 16 (no point) change nothing; row 17 removes byte 15.
struct WithoutPoint {
  alignas(16) signed char row[18][16];
  constexpr WithoutPoint() : row() {
    for (int k = 0; k < 18; ++k) {
      for (int i = 0; i < 16; ++i) {
        row[k][i] = static_cast<signed char>(i > k || k == 15 || k == 16 ? i : i - 1);
      }
    }
  }
};
inline constexpr WithoutPoint without_point;

// Powers of ten, by the position of the point.
inline constexpr double tenths[17] = {1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7,
                                      1e6,  1e5,  1e4,  1e3,  1e2,  1e1,  1,   1};

inline constexpr double zeros[2] = {0.0, -0.0};

}  // namespace detail

// Parses the number between two positions.
template <class T>
[[gnu::always_inline]] inline bool short_number(const char* from, const char* to, T& value) {
  const bool negative = *from == '-';
  const std::size_t n = static_cast<std::size_t>(to - from) - negative;
  if (n - 1 > 15) return false;
  const __m128i digits = _mm_and_si128(_mm_sub_epi8(detail::load16(to - 16), _mm_set1_epi8('0')),
                                       detail::load16(detail::last_bytes + n));
  const __m128i points = _mm_cmpeq_epi8(digits, _mm_set1_epi8('.' - '0'));
  const unsigned at = _tzcnt_u32(static_cast<unsigned>(_mm_movemask_epi8(points)) | 0x10000);
  const __m128i row = _mm_shuffle_epi8(digits, detail::load16(detail::without_point.row[at]));
  const __m128i others = _mm_subs_epu8(row, _mm_set1_epi8(9));
  if (_mm_testz_si128(others, others) == 0) return false;
  const uint64_t m = detail::number_of(row);
  if constexpr (std::is_floating_point_v<T>) {
    // Both numbers are exact, so one operation rounds once.
    using Format = fast_float::binary_format<T>;
    if (m >= uint64_t{1} << (Format::mantissa_explicit_bits() + 1)) return false;
    if (sizeof(T) == 4 && at < 5) return false;
    value = with_sign(static_cast<T>(static_cast<int64_t>(m)) / static_cast<T>(detail::tenths[at]),
                      negative);
  } else {
    if (at != 16) return false;
    const auto most = static_cast<uint64_t>(std::numeric_limits<T>::max());
    if (negative && !std::is_signed_v<T>) return false;
    if (m > most + negative) return false;
    value = static_cast<T>(negative ? 0 - m : m);
  }
  return true;
}

// Does the same for at least 17 characters with at most 19 digits. The 32 bytes before the number
// must be readable.
template <class T>
[[gnu::noinline]] bool longer_number(const char* from, const char* to, T& value,
                                     Spelt* spelt = nullptr) {
  const bool negative = *from == '-';
  const std::size_t n = static_cast<std::size_t>(to - from) - negative;
  if (n - 17 > 3) return false;
  const __m128i zero = _mm_set1_epi8('0'), point = _mm_set1_epi8('.' - '0');
  const __m128i low = _mm_sub_epi8(detail::load16(to - 16), zero);
  const __m128i high = _mm_and_si128(_mm_sub_epi8(detail::load16(to - 32), zero),
                                     detail::load16(detail::last_bytes + n - 16));
  const auto in_low = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(low, point)));
  const auto in_high = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(high, point)));
  // 19 digits, or 20 characters with one point, which is in one of the halves.
  if ((n == 20 && (in_low | in_high) == 0) || (in_low != 0 && in_high != 0)) return false;
  const unsigned at_low = _tzcnt_u32(in_low | 0x10000), at_high = _tzcnt_u32(in_high | 0x10000);
  const auto& without = detail::without_point.row;
  const __m128i row_low = _mm_shuffle_epi8(low, detail::load16(without[at_low]));
  const __m128i row_high =
      _mm_shuffle_epi8(high, detail::load16(without[at_high == 15 ? 17 : at_high]));
  const __m128i others = _mm_or_si128(_mm_subs_epu8(row_low, _mm_set1_epi8(9)),
                                      _mm_subs_epu8(row_high, _mm_set1_epi8(9)));
  if (_mm_testz_si128(others, others) == 0) return false;
  const uint64_t unit = in_low != 0 ? 1000000000000000 : 10000000000000000;
  const uint64_t m = detail::number_of(row_high) * unit + detail::number_of(row_low);
  const int64_t exponent = in_low != 0    ? static_cast<int64_t>(at_low) - 15
                           : in_high != 0 ? static_cast<int64_t>(at_high) - 31
                                          : 0;
  if (spelt != nullptr) *spelt = {m, exponent};
  return scaled(m, exponent, negative, value);
}

// The ends of a field.
struct Ends {
  const char *from, *to;
};

// Parses four numbers at once, with half as many instructions for each.
[[gnu::always_inline]] inline bool four_short_numbers(const Ends& p, const Ends& q, const Ends& r,
                                                      const Ends& s, double* values) {
  const bool minus_p = *p.from == '-', minus_q = *q.from == '-', minus_r = *r.from == '-',
             minus_s = *s.from == '-';
  const auto length = [](const Ends& e, bool minus) {
    return static_cast<std::size_t>(e.to - e.from) - minus;
  };
  const std::size_t n_p = length(p, minus_p), n_q = length(q, minus_q), n_r = length(r, minus_r),
                    n_s = length(s, minus_s);
  if (((n_p - 1) | (n_q - 1) | (n_r - 1) | (n_s - 1)) > 15) return false;
  const auto two = [](const void* low, const void* high) {
    return _mm256_set_m128i(detail::load16(high), detail::load16(low));
  };
  const auto digits_of = [&](const Ends& low, const Ends& high, std::size_t n_low,
                             std::size_t n_high) {
    const __m256i stood = _mm256_sub_epi8(two(low.to - 16, high.to - 16), _mm256_set1_epi8('0'));
    return _mm256_and_si256(stood, two(detail::last_bytes + n_low, detail::last_bytes + n_high));
  };
  const __m256i point = _mm256_set1_epi8('.' - '0'), nine = _mm256_set1_epi8(9);
  const __m256i a = digits_of(p, q, n_p, n_q), b = digits_of(r, s, n_r, n_s);
  const auto points_a = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, point)));
  const auto points_b = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, point)));
  const unsigned at_p = _tzcnt_u32(points_a | 0x10000), at_q = _tzcnt_u32(points_a >> 16 | 0x10000);
  const unsigned at_r = _tzcnt_u32(points_b | 0x10000), at_s = _tzcnt_u32(points_b >> 16 | 0x10000);
  const auto& without = detail::without_point.row;
  const __m256i row_a = _mm256_shuffle_epi8(a, two(without[at_p], without[at_q]));
  const __m256i row_b = _mm256_shuffle_epi8(b, two(without[at_r], without[at_s]));
  const __m256i others =
      _mm256_or_si256(_mm256_subs_epu8(row_a, nine), _mm256_subs_epu8(row_b, nine));
  if (_mm256_testz_si256(others, others) == 0) return false;
  const __m256i tens = _mm256_set1_epi16(0x010a), hundreds = _mm256_set1_epi32(0x00010064);
  const __m256i packed =
      _mm256_packus_epi32(_mm256_madd_epi16(_mm256_maddubs_epi16(row_a, tens), hundreds),
                          _mm256_madd_epi16(_mm256_maddubs_epi16(row_b, tens), hundreds));
  // Each lane has the upper and the lower 8 digits of two numbers.
  const __m256i halves =
      _mm256_permutevar8x32_epi32(_mm256_madd_epi16(packed, _mm256_set1_epi32(0x00012710)),
                                  _mm256_setr_epi32(0, 4, 2, 6, 1, 5, 3, 7));
  const __m256d upper = _mm256_cvtepi32_pd(_mm256_castsi256_si128(halves));
  const __m256d lower = _mm256_cvtepi32_pd(_mm256_extracti128_si256(halves, 1));
  // This is exact below 2^53.
  const __m256d m = _mm256_add_pd(_mm256_mul_pd(upper, _mm256_set1_pd(1e8)), lower);
  const __m256d large = _mm256_cmp_pd(m, _mm256_set1_pd(0x1p53), _CMP_GE_OQ);
  if (_mm256_testz_pd(large, large) == 0) return false;
  const auto& tenths = detail::tenths;
  const __m256d scale = _mm256_set_pd(tenths[at_s], tenths[at_r], tenths[at_q], tenths[at_p]);
  const auto& zeros = detail::zeros;
  const __m256d signs =
      _mm256_set_pd(zeros[minus_s], zeros[minus_r], zeros[minus_q], zeros[minus_p]);
  _mm256_storeu_pd(values, _mm256_or_pd(_mm256_div_pd(m, scale), signs));
  return true;
}

}  // namespace onefold::io
ONEFOLD_FIELD_ENDS_END
#endif
