// Quantiles of segments of an axis, or of windows, which overlap: a block each.
//
//   launches short segments, up to a few times as long as the mean; longer ones, by large blocks
//   grid     segments, in each column; then those that follow after as many. In the second launch
//            each block looks for longer ones among as many segments as it has threads
//   held     a segment whose keys fit shared memory is read once
//   longest  one block would take long for them: they are listed for launches of slices
//   longer   a sample gives the bracket of each level, and a second read counts the keys below it
//            and holds those inside. Where these do not decide, or the segment is so long that they
//            would not fit, it is read again for each digit of 8 bits
//   shared   up to 64 KiB: the keys, the sample, or the keys inside
//   offsets  are on the device and unchecked, as in kernel/segments.hpp: a segment whose offsets
//            decrease or lie outside the array has a status and NaN, and is not read
#pragma once

#include "onefold/cuda/kernel/quantile/slice_keys.hpp"
#include "onefold/cuda/kernel/segment_borders.hpp"

namespace onefold::kernel {

// Not inlined, as compilers would take long for the copies.
template <class M, class T>
ONEFOLD_KERNEL_COLD QuantilePlace place_in(const QuantileSlices<M, T>& in, unsigned l, uint32_t n) {
  return in.place_among(l, n);
}

//   longer   the second launch
template <class T, bool masks, bool longer, class M>
struct QuantileSegments {
  using O = OrderedBits<T>;
  using K = typename O::Key;
  static constexpr unsigned held = most_held<T>;
  static constexpr auto infinity =
      static_cast<K>(float_format(dtype_of<T>).infinity() | uint64_t{1} << (O::bits - 1));
  // From about 20 times as many keys on, those inside a bracket do not fit.
  static constexpr Size most_bracketed = Size{16} * held;
  using Neighbours = NeighbourKeys<K>;

  M m;
  const QuantileSlices<M, T>& in;
  Shared<M, K> keys = shared_of_launch<K>(m);
  // Counts of a segment: NaN that count, elements that count; keys of a bracket.
  enum Word : unsigned { nans, taken, below, at_low, inside, at_high, words };
  Shared<M, uint32_t> counts = shared<uint32_t, int{words}, struct segment_counts_>(m);

  struct Segment {
    int64_t x = 0, mask = 0;  // from where it begins
    Size begin = 0;           // the same in elements of the axis
    uint32_t n = 0;
    bool bad = false;
  };
  struct Bracket {
    K low = 0, high = infinity;
  };

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL unsigned threads() const { return static_cast<unsigned>(m.threads()); }
  ONEFOLD_KERNEL Segment segment(Size answer) const {
    const SegmentOf which = segment_of(in.nest, answer, in.columns);
    const auto [begin, end] = segment_ends(m, in.nest, which.segment);
    Segment s;
    // As Size, negative offsets exceed the length.
    s.bad = begin > end || end > in.length();
    if (s.bad) return s;
    const Spot column = answer_at<false, masks>(in.nest, which.column);
    s.x = column.x + static_cast<int64_t>(begin) * in.stride();
    if constexpr (masks) s.mask = column.mask + static_cast<int64_t>(begin) * in.mask_stride();
    s.n = static_cast<uint32_t>(end - begin);
    s.begin = begin;
    return s;
  }

  ONEFOLD_KERNEL void add(Word word, uint32_t mine) const {
    if (m.branch(mine != 0)) m.add(counts, static_cast<unsigned>(word), mine);
  }
  ONEFOLD_KERNEL uint32_t count(Word word) const {
    const uint32_t c = counts[static_cast<unsigned>(word)];
    return c;
  }
  ONEFOLD_KERNEL void clear() const {
    m.sync();
    if (t() < words) counts[t()] = 0u;
    m.sync();
  }

  // Holds all keys; those of elements that do not count are the greatest key.
  ONEFOLD_KERNEL void hold(const Segment& s) const {
    uint32_t i = t(), some_nans = 0, some = 0;
    const SliceKeys<T, masks, M> from{m, in, s.x, s.mask, s.n};
    from.each_element(t(), threads(), [&](T x, bool active) {
      const K k = active ? O::of(x) : O::nan;
      some += active ? 1 : 0;
      some_nans += active && k == O::nan ? 1 : 0;
      if (m.branch(i < s.n)) keys[i] = k;
      i += threads();
    });
    add(nans, some_nans);
    add(taken, some);
    m.sync();
  }

  // Finds a level's bracket in a sample of a quarter of the held keys, or of as many.
  ONEFOLD_KERNEL Bracket bracket(const Segment& s, unsigned l) const {
    const bool quarter = s.n <= 8 * held;
    const unsigned some = quarter ? held / 4 : held;
    uint32_t out = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned i = t(); i < some; i += threads()) {
      const auto at = static_cast<int64_t>(sampled_place(i, some, s.n));
      const T v = in.nest.x[s.x + at * in.stride()];
      K k = O::of(v);
      if constexpr (masks) {
        const uint8_t there = in.nest.mask[s.mask + at * in.mask_stride()];
        k = there != 0 ? k : O::nan;
      }
      out += k == O::nan ? 1 : 0;
      keys[i] = k;
    }
    add(nans, out);
    m.sync();
    const uint32_t numbers = some - count(nans);
    // Half as many ranks are four standard deviations in a quarter of the sample.
    const uint32_t d = quarter ? in.margin[l] / 2 + 1 : in.margin[l];
    const auto middle = numbers == 0 ? 0u : static_cast<uint32_t>(place_in(in, l, numbers).rank);
    Bracket b;
    if (middle > d) b.low = select_held<T>(m, some, middle - d, false).low;
    if (middle + 1 + d < numbers) b.high = select_held<T>(m, some, middle + 1 + d, false).low;
    clear();
    return b;
  }

  // Counts the keys below a bracket, at its borders and inside, and holds the latter.
  ONEFOLD_KERNEL void read(const SliceKeys<T, masks, M>& from, const Bracket& b) const {
    const K width = static_cast<K>(b.high - b.low);
    uint32_t some_nans = 0, some = 0, less = 0, low = 0, high = 0;
    from.each(t(), threads(), [&](K k) {
      const K distance = static_cast<K>(k - b.low);
      ++some;
      some_nans += k == O::nan ? 1 : 0;
      less += k < b.low ? 1 : 0;
      low += distance == 0 ? 1 : 0;
      high += distance != 0 && distance == width ? 1 : 0;
      if (m.branch(distance != 0 && distance < width)) {
        const uint32_t at = m.add(counts, unsigned{inside}, 1u);
        if (m.branch(at < held)) keys[at] = k;
      }
    });
    add(nans, some_nans);
    add(taken, some);
    add(below, less);
    add(at_low, low);
    add(at_high, high);
    m.sync();
  }

  // Finds a rank and, if it is asked for, the next one, by what `read` has left. Returns whether
  // that decides.
  ONEFOLD_KERNEL bool find(const Bracket& b, uint32_t rank, bool next, Neighbours* found) const {
    const uint32_t inner = count(inside), low_end = count(below) + count(at_low),
                   high_begin = low_end + inner, end = high_begin + count(at_high);
    const uint32_t last = rank + (next ? 1 : 0);
    if (rank < count(below) || last >= end) return false;
    const bool any_inside = last >= low_end && rank < high_begin;
    if (any_inside && inner > held) return false;
    Neighbours in_bracket{b.high, b.low};
    if (any_inside) {
      const uint32_t k = rank < low_end ? 0 : rank - low_end;
      in_bracket = select_held<T>(m, inner, k, rank >= low_end && last < high_begin && next);
    }
    found->low = rank < low_end ? b.low : rank < high_begin ? in_bracket.low : b.high;
    found->high = last < low_end       ? b.low
                  : last >= high_begin ? b.high
                  : rank < low_end     ? in_bracket.low
                                       : in_bracket.high;
    return true;
  }

  ONEFOLD_KERNEL void put_all(Size answer, Status status) const {
    ONEFOLD_NO_UNROLL
    for (unsigned l = t(); l < in.levels; l += threads()) {
      in.put(l, static_cast<int64_t>(answer), quantile_nan<T>(), status);
    }
  }
  // Writes NaN as all answers of a segment, if they are.
  ONEFOLD_KERNEL bool put_if_spoilt(Size answer) const {
    const uint32_t some = count(nans), all = count(taken);
    const bool lacks = all - (in.nan == NanPolicy::omit ? some : 0) < in.nest.windows.least;
    if (!lacks && !in.spoilt(some, all)) return false;
    const bool raises = !lacks && some != 0 && in.nan == NanPolicy::raise;
    put_all(answer, raises ? Status::nan_found : Status::ok);
    return true;
  }
  ONEFOLD_KERNEL void put(Size answer, unsigned l, const QuantilePlace& place,
                          const Neighbours& found) const {
    if (t() != 0) return;
    const T v = quantile_of_keys<T>(found.low, found.high, place);
    in.put(l, static_cast<int64_t>(answer), v, Status::ok);
  }

  ONEFOLD_KERNEL void answer_held(Size answer, const Segment& s) const {
    hold(s);
    if (put_if_spoilt(answer)) return;
    ONEFOLD_NO_UNROLL
    for (unsigned l = 0; l < in.levels; ++l) {
      const QuantilePlace place = place_in(in, l, count(taken) - count(nans));
      const auto rank = static_cast<uint32_t>(place.rank);
      put(answer, l, place, select_held<T>(m, s.n, rank, place.rest > 0));
      m.sync();
    }
  }
  ONEFOLD_KERNEL void answer_long(Size answer, const Segment& s) const {
    const SliceKeys<T, masks, M> from{m, in, s.x, s.mask, s.n};
    ONEFOLD_NO_UNROLL
    for (unsigned l = 0; l < in.levels; ++l) {
      Bracket b{infinity, infinity};  // of a longer segment: only counts what counts
      if (s.n <= most_bracketed) b = bracket(s, l);
      read(from, b);
      if (put_if_spoilt(answer)) return;
      const QuantilePlace place = place_in(in, l, count(taken) - count(nans));
      const auto rank = static_cast<uint32_t>(place.rank);
      Neighbours found{};
      if (!find(b, rank, place.rest > 0, &found)) {
        found = select_again(from, count(taken), rank, place.rest > 0);
      }
      put(answer, l, place, found);
      clear();
    }
  }
  ONEFOLD_KERNEL void answer_one(Size answer, const Segment& s) const {
    clear();
    if (s.bad) {
      put_all(answer, Status::bad_offsets);
    } else if (!longer || s.n <= held) {
      answer_held(answer, s);
    } else if constexpr (longer) {
      answer_long(answer, s);
    }
  }
  ONEFOLD_KERNEL void run() const {
    if constexpr (longer) return run_longer();
    ONEFOLD_NO_UNROLL
    for (Size answer = m.block(); answer < in.nest.answers; answer += m.blocks()) {
      const Segment s = segment(answer);
      if (s.n <= in.most_short) answer_one(answer, s);
    }
  }
  // Lists a segment, if there is room: offsets that fall may have one segment several times.
  ONEFOLD_KERNEL bool listed(uint64_t answer, const Segment& s) const {
    m.sync();
    if (t() == 0) {
      const uint64_t at = m.add(in.listed, 0, uint64_t{1});
      counts[0] = at < most_listed ? 1u : 0u;
      if (at < most_listed) {
        const uint64_t word = 1 + words_a_listed * at;
        in.listed[word] = answer;
        in.listed[word + 1] = uint64_t{s.begin};
        in.listed[word + 2] = uint64_t{s.n};
      }
    }
    m.sync();
    const uint32_t done = counts[0];
    return done != 0;
  }
  ONEFOLD_KERNEL void run_longer() const {
    const auto list = shared<uint64_t, int{quantile_row_threads}, struct segment_list_>(m);
    const auto found = shared<uint32_t, 1, struct segments_found_>(m);
    const Size all = in.nest.answers;
    ONEFOLD_NO_UNROLL
    for (Size first = m.block(); first < all; first += Size{m.blocks()} * threads()) {
      if (t() == 0) found[0] = 0u;
      m.sync();
      const Size mine = first + Size{t()} * m.blocks();
      if (m.branch(mine < all)) {
        if (m.branch(segment(mine).n > in.most_short)) {
          const uint32_t at = m.add(found, 0, 1u);
          list[at] = mine;
        }
      }
      m.sync();
      const uint32_t some = found[0];
      ONEFOLD_NO_UNROLL
      for (uint32_t k = 0; k < some; ++k) {
        const uint64_t answer = list[k];
        const Segment s = segment(answer);
        if (s.n <= in.most_long || !listed(answer, s)) answer_one(answer, s);
      }
      m.sync();
    }
  }
};

}  // namespace onefold::kernel
