// Quantiles of a short row with weights, by one warp: each element's weight with those of all
// elements that are not above it, in sums of 128 bits.
#pragma once

#include "onefold/cuda/kernel/quantile/weight_state.hpp"
#include "onefold/cuda/kernel/quantile/weights_input.hpp"

namespace onefold::kernel {

// An unsigned integer of 128 bits.
struct WeightSum {
  uint64_t low = 0, high = 0;
  ONEFOLD_KERNEL void add(const WeightSum& b) {
    low += b.low;
    high += b.high + (low < b.low ? 1 : 0);
  }
  ONEFOLD_KERNEL void add_word(uint32_t w, uint32_t v) {
    const uint64_t shifted = uint64_t{v} << 32 * (w % 2);
    if (w < 4) add(w < 2 ? WeightSum{shifted, 0} : WeightSum{0, shifted});
  }
  ONEFOLD_KERNEL uint32_t word(uint32_t w) const {
    return static_cast<uint32_t>((w < 2 ? low : high) >> 32 * (w % 2));
  }
  ONEFOLD_KERNEL bool none() const { return (low | high) == 0; }
  ONEFOLD_KERNEL bool operator==(const WeightSum& b) const {
    return low == b.low && high == b.high;
  }
  ONEFOLD_KERNEL bool operator<(const WeightSum& b) const {
    return high != b.high ? high < b.high : low < b.low;
  }
  ONEFOLD_KERNEL static WeightSum of(uint64_t v, unsigned shift) {
    if (shift == 0) return {v, 0};
    return shift < 64 ? WeightSum{v << shift, v >> (64 - shift)} : WeightSum{0, v << (shift - 64)};
  }
  template <class M>
  ONEFOLD_KERNEL static WeightSum from(M m, const WeightSum& v, unsigned lane) {
    return {m.shuffle(v.low, lane), m.shuffle(v.high, lane)};
  }
};

// What a level asks for: the sum that its key has with all below it.
struct WantedSum {
  WeightSum sum;
  bool next = false;  // where a key has exactly that, the next one, too
};
ONEFOLD_KERNEL WantedSum wanted_sum(const QuantileLevel& level, const WeightSum& total,
                                    bool repeated) {
  WantedSum wanted;
  if (repeated) {
    const QuantilePlace place = place_of(level, total.low);
    wanted.sum = {place.rank + 1, 0};
    wanted.next = place.rest > 0;
    return wanted;
  }
  const bool whole = share_of_words(
      level, 4, [&](uint32_t w) { return total.word(w); },
      [&](uint32_t w, uint32_t v) { wanted.sum.add_word(w, v); });
  const bool none = wanted.sum.none();
  if (none) wanted.sum.low = 1;
  wanted.next = whole && !none && !(wanted.sum == total) &&
                level.method == QuantileMethod::averaged_inverted_cdf;
  return wanted;
}

template <class K, class M>
struct WeightRow {
  static constexpr unsigned of_lane = 4, most = 32 * of_lane;
  M m;
  unsigned n = 0;
  K key[of_lane] = {};
  WeightSum weight[of_lane] = {}, upto[of_lane] = {};

  ONEFOLD_KERNEL WeightSum total() const {
    WeightSum all;
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < of_lane; ++u) all.add(weight[u]);
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d != 0; d /= 2) {
      all.add({m.shuffle_xor(all.low, d), m.shuffle_xor(all.high, d)});
    }
    return all;
  }
  // Adds up what each element has with all that are not above it.
  ONEFOLD_KERNEL void add_up() {
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < of_lane; ++u) {
      const unsigned lanes = n <= 32 * u ? 0 : n - 32 * u < 32 ? n - 32 * u : 32;
      ONEFOLD_NO_UNROLL
      for (unsigned lane = 0; lane < lanes; ++lane) {
        const K other = m.shuffle(key[u], lane);
        const WeightSum w = WeightSum::from(m, weight[u], lane);
        ONEFOLD_UNROLL
        for (unsigned v = 0; v < of_lane; ++v) {
          if (32 * v < n && other <= key[v]) upto[v].add(w);
        }
      }
    }
  }
  // Returns the least key of any weight that has a sum with all below it.
  ONEFOLD_KERNEL K least(const WeightSum& wanted) const {
    K found = static_cast<K>(~K{0});
    ONEFOLD_UNROLL
    for (unsigned u = 0; u < of_lane; ++u) {
      const bool fits = !weight[u].none() && !(upto[u] < wanted);
      if (fits && key[u] < found) found = key[u];
    }
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d != 0; d /= 2) {
      const K other = m.shuffle_xor(found, d);
      found = other < found ? other : found;
    }
    return found;
  }
};

// Answers a short slice, by a warp; returns false if it is not short, or its sums are long.
template <class T, class M>
ONEFOLD_KERNEL bool answer_row(M m, const WeightedQuantiles<M, T>& q, const WeightedElements& e) {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  using Row = WeightRow<K, M>;
  if (e.bad || e.n > Row::most) return false;
  const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
  Row row{m, static_cast<unsigned>(e.n)};
  WeightBits weight[Row::of_lane];
  WeightSpan span;
  uint32_t nans = 0, flaws = 0;
  ONEFOLD_UNROLL
  for (unsigned u = 0; u < Row::of_lane; ++u) {
    row.key[u] = O::nan;
    const unsigned i = lane + 32 * u;
    Size bytes = 0;
    if (m.branch(i < e.n)) {
      const WeightedSpot s = element_at<false>(q.in, i);
      if (m.branch(is_there(q.in, e.from, s))) {
        const T v = q.in.x[e.from.x + s.x];
        row.key[u] = O::of(v);
        bytes = count_at(m, q.in, e.from, s);
      }
    }
    weight[u] = weight_of_bytes(q.in.count_type, bytes);
    flaws |= weight[u].bad ? 1u : 0u;
    if (row.key[u] == O::nan) {
      nans |= weight[u].mantissa != 0 ? 1u : 0u;
      weight[u].mantissa = 0;
    }
    span.take(weight[u]);
  }
  span = {m.redux_min(span.low), m.redux_max(span.high)};
  const bool flawed = m.redux_max(flaws) != 0, has_nan = m.redux_max(nans) != 0;
  const unsigned unit = q.repeated || span.high == 0 ? 0 : span.low;
  if (span.high + static_cast<unsigned>(bit_length(e.n)) > unit + 127) return false;
  ONEFOLD_UNROLL
  for (unsigned u = 0; u < Row::of_lane; ++u) {
    const WeightBits& w = weight[u];
    if (w.mantissa == 0) continue;
    row.weight[u] = w.shift < unit ? WeightSum{w.mantissa >> (unit - w.shift), 0}
                                   : WeightSum::of(w.mantissa, w.shift - unit);
  }
  const WeightSum total = row.total();
  if (flawed || (q.repeated && (total.high != 0 || total.low >> 59 != 0))) {
    if (lane < q.levels) q.put(lane, e.from.step, quantile_nan<T>(), Status::bad_weights);
    return true;
  }
  const bool counts = has_nan && q.nan != NanPolicy::omit;
  if (counts || total.none()) {
    const Status status = counts && q.nan == NanPolicy::raise ? Status::nan_found : Status::ok;
    if (lane < q.levels) q.put(lane, e.from.step, quantile_nan<T>(), status);
    return true;
  }
  row.add_up();
  ONEFOLD_NO_UNROLL
  for (unsigned l = 0; l < q.levels; ++l) {
    WantedSum wanted = wanted_sum(q.level[l], total, q.repeated);
    const K low = row.least(wanted.sum);
    wanted.sum.add({1, 0});
    const K high = wanted.next ? row.least(wanted.sum) : low;
    if (lane == 0) q.put_between(l, e.from.step, low, high, wanted.next, total.low);
  }
  return true;
}

}  // namespace onefold::kernel
