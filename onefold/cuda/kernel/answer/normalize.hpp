// Prepares sums in shared memory for rounding: carries their limbs and finds the leading digits.
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/cuda/kernel/state.hpp"

namespace onefold::kernel {

// The facts of a sum that rounding needs, kept in shared memory: its sign, the range of digits that
// are not 0, and 192 leading bits. A root of a quotient needs 128 bits more than the divisor has.
enum : int {
  found_low,
  found_high,
  found_negative,
  found_exponent,
  found_sticky,
  found_digits,
  found_columns = found_digits + 6
};

// Does the same for limbs with a stride, or for many limbs. Called by a warp.
template <class M>
ONEFOLD_KERNEL_COLD void normalize_many_limbs(M m, Shared<M, int64_t> w, int n, int unit, int low,
                                              int high, Shared<M, int> found) {
  const int lane = static_cast<int>(m.lane());
  // Limbs above `high` are 0, so a carry of -1 makes all of them -1: no loop needs to visit them.
  int64_t c = 0;
  int end = low;
  if (lane == 0) {
    ONEFOLD_NO_UNROLL
    for (; end < n - 1 && (end <= high || (c != 0 && c != -1)); ++end) {
      const int64_t v = w[end] + c;
      w[end] = v & 0xffffffff;
      c = v >> 32;
    }
    if (end == n - 1) {
      w[end] = w[end] + c;
      c = 0;
    }
  }
  c = m.shuffle(c, 0);
  end = m.shuffle(end, 0);
  m.sync_warp();
  if (c == -1) {
    ONEFOLD_NO_UNROLL
    for (int k = end + lane; k < n; k += 32) w[k] = k == n - 1 ? int64_t{-1} : int64_t{0xffffffff};
    m.sync_warp();
  }
  using D = Digits<Shared<M, int64_t>>;
  const int64_t top = w[n - 1];
  const uint32_t fill = top < 0 ? 0xffffffffu : 0;
  low = n + 1;
  high = -1;
  ONEFOLD_NO_UNROLL
  for (int k = lane; k <= n; k += 32) {
    const uint32_t d = D::raw(w, n, k);
    if (d != 0 && k < low) low = k;
    if (d != fill) high = k;
  }
  low = m.redux_min(low);
  high = m.redux_max(high);
  if (lane != 0) return;
  if (low > n) {
    low = 0;
    high = -1;
  } else if (high < low) {
    high = low;
  }
  const Leading l =
      leading(D{.limb = w, .n = n, .low = low, .high = high, .negative = top < 0}, unit);
  found[found_low] = low;
  found[found_high] = high;
  found[found_negative] = top < 0 ? 1 : 0;
  found[found_exponent] = l.exponent;
  uint32_t below = l.sticky ? 1 : 0;
  for (int k = 6; k < Leading::size; ++k) below |= l.digit[k];
  found[found_sticky] = below != 0 ? 1 : 0;
  for (int k = 0; k < 6; ++k) found[found_digits + k] = static_cast<int>(l.digit[k]);
}

// Carries n limbs in shared memory and finds the digits that are not 0. Called by a warp: lane
// l has the l-th limb from the lowest one other than 0. After two steps all carries are -1, 0 or 1,
// and are resolved like the carries of a binary addition. `kept`: the limbs are stored in canonical
// form.
template <bool kept, class M>
ONEFOLD_KERNEL void normalize_limbs(M m, Shared<M, int64_t> w, int n, int unit,
                                    Shared<M, int> found) {
  const int lane = static_cast<int>(m.lane());
  int low = n, high = -1;
  ONEFOLD_NO_UNROLL
  for (int k = lane; k < n; k += 32) {
    const int64_t v = w[k];
    if (v == 0) continue;
    low = k < low ? k : low;
    high = k;
  }
  low = m.redux_min(low);
  high = m.redux_max(high);
  m.sync_warp();
  if (high - low > 27) {
    normalize_many_limbs(m, w, n, unit, low, high, found);
    return;
  }
  int64_t v = 0;
  if (low + lane < n) v = w[low + lane];
  ONEFOLD_UNROLL
  for (int round = 0; round < 2; ++round) {
    const int64_t c = m.shuffle_up(v >> 32, 1);
    v = (v & 0xffffffff) + (lane == 0 ? 0 : c);
  }
  const uint32_t zeros = m.ballot(v == 0);
  const uint32_t borrows = (zeros + (m.ballot(v < 0) << 1)) ^ zeros;
  v -= borrows >> lane & 1;
  v += v < 0 ? int64_t{1} << 32 : 0;
  const uint32_t ones = m.ballot(v == 0xffffffff);
  const uint32_t carries = (ones + (m.ballot(v >> 32 != 0) << 1)) ^ ones;
  const auto d = static_cast<uint32_t>(v) + (carries >> lane & 1);
  const uint32_t some = m.ballot(d != 0);
  const bool negative = (m.ballot(d >> 31 != 0) >> 31) != 0;
  const int first = bit_length(uint64_t{some & (0 - some)}) - 1;
  const uint32_t digit = !negative ? d : lane < first ? 0 : lane == first ? 0 - d : ~d;
  const uint32_t places = m.ballot(digit != 0);
  const int top = bit_length(uint64_t{places}) - 1;  // -1: the sum is zero
  uint32_t leading[7];
  ONEFOLD_UNROLL
  for (int k = 0; k < 7; ++k) {
    const uint32_t one = m.shuffle(digit, static_cast<unsigned>(top - k) % 32);
    leading[k] = top >= k ? one : 0;
  }
  if constexpr (kept) {
    // The last limb holds two digits. A lane beyond the last one has the same limb as that.
    const uint32_t above = m.shuffle_down(d, 1), fill = negative ? 0xffffffffu : 0;
    ONEFOLD_NO_UNROLL
    for (int k = low + lane; k < n; k += 32) {
      const bool mine = k < low + 32;
      const uint32_t digit_of_two = mine ? d : fill, other = mine ? above : fill;
      const uint64_t two = static_cast<uint64_t>(other) << 32 | digit_of_two;
      w[k] = k == n - 1 ? static_cast<int64_t>(two) : int64_t{digit_of_two};
    }
  }
  if (lane != 0) return;
  const int shift = 32 - bit_length(uint64_t{leading[0]});
  found[found_low] = top < 0 ? 0 : low + first;
  found[found_high] = top < 0 ? -1 : low + top;
  found[found_negative] = negative ? 1 : 0;
  found[found_exponent] = unit + 32 * (low + top - Leading::size + 1) - shift;
  ONEFOLD_UNROLL
  for (int k = 0; k < 6; ++k) {
    const uint64_t two = static_cast<uint64_t>(leading[k]) << 32 | leading[k + 1];
    found[found_digits + k] = static_cast<int>(static_cast<uint32_t>(two << shift >> 32));
  }
  const uint32_t below = top > 6 ? places & ((1u << (top - 6)) - 1) : 0;
  found[found_sticky] = (below | static_cast<uint32_t>(uint64_t{leading[6]} << shift)) != 0 ? 1 : 0;
}

}  // namespace onefold::kernel
