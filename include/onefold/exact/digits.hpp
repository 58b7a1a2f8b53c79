// Reads canonical limbs (exact/limbs.hpp) as a sign and the digits of a magnitude. Copies no
// limb.
//
//   P     a pointer to int64 in the memory of a processor, a GPU or the simulator
//   two's complement: a negative number's lowest digit other than 0 is negated; the digits above
//         it are flipped, and those below stay 0
#pragma once

#include "onefold/exact/leading.hpp"

namespace onefold {

template <class P>
struct Digits {
  P limb{};
  int n = 0;               // the number of limbs; the last one holds two digits
  int low = 0, high = -1;  // digits outside low..high are 0; if high < low, the number is 0
  bool negative = false;

  // Returns the digit of limb k, k <= n, as stored, without a change of sign.
  ONEFOLD_FN static constexpr uint32_t raw(const P& limb, int n, int k) {
    const auto v = static_cast<int64_t>(limb[k < n ? k : n - 1]);
    return static_cast<uint32_t>(k < n ? v : v >> 32);
  }
  ONEFOLD_FN constexpr uint32_t operator()(int k) const {
    if (k < low || k > high) return 0;
    const uint32_t d = raw(limb, n, k);
    return !negative ? d : k == low ? 0 - d : ~d;
  }
  ONEFOLD_FN constexpr bool zero() const { return high < low; }
};

// The digits of limbs in any memory, wherever they are 0.
template <class P>
ONEFOLD_FN constexpr Digits<P> digits_in(const P& limb, int n) {
  Digits<P> d{limb, n, 0, n, false};
  d.negative = static_cast<int64_t>(limb[n - 1]) < 0;
  const uint32_t fill = d.negative ? 0xffffffffu : 0;
  while (d.low < n && d.raw(limb, n, d.low) == 0) ++d.low;
  if (d.low == n && d.raw(limb, n, n) == 0) d.high = d.low - 1;
  while (d.high > d.low && d.raw(limb, n, d.high) == fill) --d.high;
  return d;
}

// Finds the range of digits that are not 0.
ONEFOLD_FN constexpr Digits<const int64_t*> find_digits(const int64_t* limb, int n) {
  Digits<const int64_t*> d{limb, n, 0, n, limb[n - 1] < 0};
  const uint32_t fill = d.negative ? 0xffffffffu : 0;
  // Tests four limbs at a time, since most of 68 limbs are 0 or only repeat the sign.
  while (d.low + 4 < n &&
         (limb[d.low] | limb[d.low + 1] | limb[d.low + 2] | limb[d.low + 3]) == 0) {
    d.low += 4;
  }
  while (d.low < n - 1 && limb[d.low] == 0) ++d.low;
  if (d.low == n - 1 && static_cast<uint32_t>(limb[n - 1]) == 0) ++d.low;
  while (d.high == n && d.high > d.low && d.raw(limb, n, n) == fill) --d.high;
  while (d.high == n - 1 && d.high > d.low && d.raw(limb, n, n - 1) == fill) --d.high;
  if (d.high == n - 2) {
    const auto same = [&](int k) { return limb[k] ^ static_cast<int64_t>(fill); };
    while (d.high - 4 > d.low &&
           (same(d.high) | same(d.high - 1) | same(d.high - 2) | same(d.high - 3)) == 0) {
      d.high -= 4;
    }
  }
  while (d.high > d.low && d.raw(limb, n, d.high) == fill) --d.high;
  if (limb[n - 1] == 0 && d.high == d.low && d.raw(limb, n, d.low) == 0) d.high = d.low - 1;
  return d;
}

template <class P>
ONEFOLD_FN constexpr Leading leading(const Digits<P>& d, int unit) {
  return d.zero() ? Leading() : leading_digits(d, d.low, d.high, unit);
}

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
