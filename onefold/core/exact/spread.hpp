// n Q - S^2 of two sums in canonical limbs, without long integers: by columns of digits.
#pragma once

#include "onefold/core/exact/digits.hpp"

namespace onefold {

// n Q - S^2 by columns, if S^2 and Q have the same weight. Column k is Q_k n_0 + Q_(k-1) n_1 -
// sum_i S_i S_(k-i); with 2^8 digits it is below 2^73.
struct Column {
  int64_t high;
  uint64_t low;
  ONEFOLD_FN constexpr Int128 value() const { return static_cast<Int128>(high) << 64 | low; }
};
template <class P>
ONEFOLD_FN constexpr Column spread_column(const Digits<P>& s, const Digits<P>& q, Size n, int k) {
  const auto n0 = static_cast<uint32_t>(n), n1 = static_cast<uint32_t>(n >> 32);
  Uint128 plus = uint64_t{q(k)} * n0;
  plus += uint64_t{q(k - 1)} * n1;
  Uint128 minus = 0;
  const int begin = k - s.high > s.low ? k - s.high : s.low;
  ONEFOLD_ROLLED
  for (int i = begin; i <= s.high && k - i >= s.low; ++i) minus += uint64_t{s(i)} * s(k - i);
  const Uint128 v = plus - minus;
  return {static_cast<int64_t>(v >> 64), static_cast<uint64_t>(v)};
}
// The columns [begin, end) that are not 0; the digits of 2^30 times their sum take three more.
struct ColumnRange {
  int begin = 0, end = 0;
};
template <class P>
ONEFOLD_FN constexpr ColumnRange spread_columns(const Digits<P>& s, const Digits<P>& q) {
  if (q.zero()) return {};  // then S is zero, too
  ColumnRange r{q.low, q.high + 2};
  if (!s.zero()) {
    r.begin = 2 * s.low < r.begin ? 2 * s.low : r.begin;
    r.end = 2 * s.high + 1 > r.end ? 2 * s.high + 1 : r.end;
  }
  return r;
}
// Turns columns into digits by carrying. The digits of their sum times `factor` < 2^30, which is
// not negative, form a number in units of 2^unit; they are written to `digits`.
template <class Columns, class Words>
ONEFOLD_FN constexpr Leading carry_columns(const Columns& column, ColumnRange range,
                                           uint32_t factor, int unit, Words& digits) {
  Int128 c = 0;
  int low = -1, high = -1, j = 0;
  ONEFOLD_ROLLED
  for (; j < range.end - range.begin + 3; ++j) {
    if (range.begin + j < range.end) c += column(range.begin + j) * factor;
    const auto d = static_cast<uint32_t>(c);
    c >>= 32;
    digits[j] = d;
    if (d == 0) continue;
    high = j;
    if (low < 0) low = j;
  }
  if (low < 0) return Leading();
  return leading_digits([&](int k) { return static_cast<uint32_t>(digits[k]); }, low, high,
                        unit + 32 * range.begin);
}

}  // namespace onefold
