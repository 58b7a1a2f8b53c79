// Reads canonical limbs (exact/limbs.hpp) as a sign and the digits of a magnitude. Copies no
// limb.
//
//   P     a pointer to int64 in the memory of a processor, a GPU or the simulator
//   two's complement: a negative number's lowest digit other than 0 is negated; the digits above
//         it are flipped, and those below stay 0
#pragma once

#include "onefold/core/exact/leading.hpp"

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

// Finds the range of digits that are not 0, of n limbs in any kind of memory.
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

// Does the same for limbs in plain memory, four limbs at a time.
ONEFOLD_FN constexpr Digits<const int64_t*> find_digits(const int64_t* limb, int n) {
  Digits<const int64_t*> d{limb, n, 0, n, limb[n - 1] < 0};
  const uint32_t fill = d.negative ? 0xffffffffu : 0;
  // Most of 68 limbs are 0 or only repeat the sign.
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

}  // namespace onefold
