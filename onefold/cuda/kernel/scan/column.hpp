// Exact words of a sum that one thread has, in its local memory. Slow, and for any data.
#pragma once

#include "onefold/core/sum_rules.hpp"
#include "onefold/cuda/kernel/number/convert.hpp"
#include "onefold/cuda/kernel/scan/input.hpp"

namespace onefold::kernel {

template <class T>
struct ScanColumn {
  using Sum = accumulator::sum<T>;
  using Counts = accumulator::tally<T>;
  static constexpr int limbs = Sum::limbs, words = limbs + Counts::words;

  int64_t word[words];  // the limbs of the sum, then the tally
  NanPolicy nan;
  int high = limbs - 1;  // no digit above it differs from the sign's
  bool negative = false;

  ONEFOLD_KERNEL explicit ScanColumn(NanPolicy policy) : nan(policy) {
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < words; ++k) word[k] = 0;
  }

  // What `finish` of an op reads.
  ONEFOLD_KERNEL Tally tally() const { return tally_of<Counts>(word + limbs, nan); }
  ONEFOLD_KERNEL SignedMagnitude limbs_of_sum() const {
    using D = Digits<const int64_t*>;
    D d{.limb = word, .n = limbs, .low = 0, .high = high, .negative = negative};
    // The highest digit of -2^32k is below its lowest one that is not 0.
    while (d.low < d.n && D::raw(d.limb, d.n, d.low) == 0) ++d.low;
    if (negative && d.high < d.low) d.high = d.low;
    return {leading(d, Sum::unit), negative};
  }

  ONEFOLD_KERNEL void tell(T x) {
    Counts::lift([&](int k, int64_t v) { word[limbs + k] += v; }, x, 0);
  }
  // Adds an element; carries are left.
  ONEFOLD_KERNEL void add(T x) {
    Sum::lift([&](int k, int64_t v) { word[k] += v; }, x, 0);
    tell(x);
  }
  // Adds to a limb of carried ones.
  ONEFOLD_KERNEL void add_carried(int k, int64_t v) {
    ONEFOLD_NO_UNROLL
    for (; k < limbs - 1 && v != 0; ++k) {
      const int64_t all = word[k] + v;
      word[k] = all & 0xffffffff;
      v = all >> 32;
    }
    if (v != 0) word[k] += v;
    high = k > high ? k : high;
  }
  ONEFOLD_KERNEL void add_carried(T x) {
    Sum::lift([&](int k, int64_t v) { add_carried(k, v); }, x, 0);
    tell(x);
  }
  ONEFOLD_KERNEL void carry() {
    onefold::carry(word, limbs);
    high = limbs - 1;
  }
  ONEFOLD_KERNEL uint32_t digit(int k) const { return k < 0 ? 0 : static_cast<uint32_t>(word[k]); }

  // Finds the sign, and the highest digit that differs from its digits.
  ONEFOLD_KERNEL void find_high() {
    const int64_t top = word[limbs - 1];
    negative = top < 0;
    const uint32_t fill = negative ? 0xffffffffu : 0;
    high = high < limbs - 1 ? high : limbs - 1;
    if (top >> 32 != 0 && top >> 32 != -1) return;
    while (high > 0 && digit(high) == fill) --high;
  }
  // Finds the bits of the sum as a T. Returns false if it is none of T's normal numbers.
  ONEFOLD_KERNEL bool convert_sum(uint64_t& bits) const {
    if (digit(high) == 0 || high >= limbs - 1) return false;
    // 96 bits and the sign, then 62 of them; what is lost below sets the last bit.
    uint32_t below = 0;
    ONEFOLD_NO_UNROLL
    for (int k = high - 3; k >= 0 && below == 0; --k) below = digit(k);
    const uint64_t top = negative ? ~uint64_t{0} << 32 | digit(high) : digit(high);
    const uint64_t low = static_cast<uint64_t>(digit(high - 1)) << 32 | digit(high - 2);
    const int length = bit_length(negative ? ~top : top), shift = length + 2;
    const auto kept = static_cast<int64_t>(top << (64 - shift) | low >> shift);
    const bool lost = below != 0 || low << (64 - shift) != 0;
    return convert<T>(kept | (lost ? 1 : 0), Sum::unit + 32 * (high - 2) + shift, bits);
  }
  // Whether a NaN or an infinity decides the sum.
  ONEFOLD_KERNEL bool special() const {
    return (word[limbs + Counts::positive_infinity] | word[limbs + Counts::negative_infinity]) !=
               0 ||
           (nan != NanPolicy::omit && word[limbs + Counts::nan] != 0);
  }
};
// The view of a column for `finish`.
template <class T>
struct ScanView {
  const ScanColumn<T>& column;
  NanPolicy nan;
  ONEFOLD_KERNEL Tally tally() const { return column.tally(); }
  ONEFOLD_KERNEL SignedMagnitude limbs(Accumulator) const { return column.limbs_of_sum(); }
};

// Rounds the sum to T.
template <class T>
ONEFOLD_KERNEL T rounded_column(ScanColumn<T>& column) {
  uint64_t bits = 0;
  column.find_high();
  if (column.special() || !column.convert_sum(bits)) {
    constexpr OpSet sum = bit_of(OpIndex::sum_);
    const ScanView<T> view{column, column.nan};
    bits = round<Taking<steps_of<T, sum>()>>(op::sum_::finish(view), dtype_of<T>).bits;
  }
  return bit_cast<T>(static_cast<bits_of<T>>(bits));
}

}  // namespace onefold::kernel
