// Folds segments of a run: segment i has the elements from offset i up to offset i + input.ends.
//
//   group    2^lane_bits lanes fold a segment, a warp 32 segments in turn; a segment longer than
//            `deal.length` is folded by the whole warp, one longer than `deal.part` by blocks
//   long     segments are cut into parts, which are listed in memory; in the second launch each
//            block folds a part, and the last block of a segment rounds
//   several  if the array has more axes, which are kept, a segment has an answer for each index
//            along them: answer i belongs to segment i / deal.width. Such kernels, and those with
//            masks, select
//   words    ops without totals: each block folds whole segments, one after another
//   offsets  are on the device and unchecked: if they decrease or lie outside the array, the
//            segment's status says so, and none of its elements is read. Other code may change them
//            meanwhile, so each launch checks the offsets that it reads
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/end/words.hpp"
#include "onefold/kernel/quick/answers.hpp"

namespace onefold::kernel {

// The first element of an answer, in the array and in its mask, and the number of its elements.
struct SegmentSpan {
  int64_t at = 0, mask = 0;
  Size n = 0;
  bool bad = false;
};

template <class T, uint32_t set, uint32_t ops, bool selects, class M>
struct Segments {
  using All = Totals<T, ops, true>;
  using Lane = LaneAnswers<T, ops, true>;
  // The layout of the scratch memory: two words for each part that the first launch notes, then
  // totals.
  enum : int { noted = 2, words = All::words };
  // Tickets: parts noted, blocks that have ended, and one for each segment in parts.
  enum : int { parts_ticket, ended_ticket, first_ticket };

  M m;
  const NestInput<M, T>& input;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  const Deal& deal;

  ONEFOLD_KERNEL Size offset(Size i) const {
    if (input.narrow_offsets) {
      const int32_t v = m.template as<int32_t>(input.offsets)[i];
      return static_cast<Size>(int64_t{v});
    }
    const int64_t v = input.offsets[i];
    return static_cast<Size>(v);
  }
  ONEFOLD_KERNEL SegmentSpan span(Size i) const {
    SegmentSpan s;
    if constexpr (selects) {
      if (deal.width > 1) {
        const Size segment = quotient_of(i, deal.width);
        const Spot column = answer_at<false, true>(input, i - segment * deal.width);
        s.at = column.x;
        s.mask = column.mask;
        i = segment;
      }
    }
    const Size begin = offset(i), end = offset(i + input.ends);
    s.bad = begin > end || end > input.elements;  // negative ones are large
    if (s.bad) return s;
    s.n = end - begin;
    return further(s, begin);
  }
  ONEFOLD_KERNEL SegmentSpan further(SegmentSpan s, Size elements) const {
    s.at += static_cast<int64_t>(elements) * deal.apart;
    if constexpr (selects) s.mask += static_cast<int64_t>(elements) * mask_apart();
    return s;
  }
  ONEFOLD_KERNEL int64_t mask_apart() const { return input.axis[input.kept].stride[2]; }
  // That of another lane.
  ONEFOLD_KERNEL SegmentSpan of_lane(const SegmentSpan& s, unsigned lane) const {
    SegmentSpan o;
    o.at = m.shuffle(s.at, lane);
    o.n = m.shuffle(s.n, lane);
    if constexpr (selects) o.mask = m.shuffle(s.mask, lane);
    return o;
  }
  ONEFOLD_KERNEL Size parts_of(Size n) const {
    return n <= deal.part ? 0 : (n + deal.part - 1) / deal.part;
  }

  // The elements of a span from `first` on every `step`, the first of which has a number.
  //   at_once   of a lane on their way
  template <int at_once>
  ONEFOLD_KERNEL void take(All& total, const SegmentSpan& span, uint32_t number, uint32_t first,
                           uint32_t step) const {
    const auto from = input.x + span.at;
    const auto n = static_cast<uint32_t>(span.n);
    typename All::Seen range;
    ONEFOLD_NO_UNROLL
    for (uint32_t e = first; e < n; e += at_once * step) {
      T x[at_once] = {};
      bool there[at_once];
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < at_once; ++u) {
        there[u] = true;
        if (!m.branch(e + u * step < n)) continue;
        if constexpr (selects) there[u] = is_taken(span, e + u * step);
        const T one = from[static_cast<int64_t>(e + u * step) * deal.apart];
        x[u] = one;
      }
      typename All::Batch batch;
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < at_once; ++u) {
        if (m.branch(e + u * step < n)) {
          total.add(range, batch, x[u], number + e + u * step, there[u], input.chosen.omit);
        }
      }
      total.add(batch);
    }
    total.lose(range, at_once, n / step + 1);
  }
  ONEFOLD_KERNEL bool is_taken(const SegmentSpan& span, uint32_t e) const {
    if (!input.chosen.masked) return true;
    const uint8_t taken = input.mask[span.mask + static_cast<int64_t>(e) * mask_apart()];
    return taken != 0;
  }
  ONEFOLD_KERNEL void meet(All& total, unsigned lanes) const {
    ONEFOLD_NO_UNROLL
    for (unsigned d = lanes / 2; d > 0; d /= 2) total.add(total.across(m, d));
  }
  // Every op's answer says what is wrong.
  ONEFOLD_KERNEL void put_bad(Size answer) const {
    ONEFOLD_UNROLL
    for (int k = 0; k < count_ops(ops); ++k) {
      if (results.place[k].has_status) {
        results.place[k].status[answer] = static_cast<uint8_t>(Status::bad_offsets);
      }
    }
  }

  // An answer once more, by the block: exact words.
  ONEFOLD_KERNEL void put_words(Size i, const SegmentSpan& s) const {
    const BlockWords<M, T, set, true> exact(m);
    NestInput<M, T> one = input;
    one.x = input.x + s.at;
    if (input.chosen.masked) one.mask = input.mask + s.mask;
    one.elements = s.n;
    one.answers = 1;
    one.kept = 0;
    one.folded = 1;
    one.axis[0] = {.extent = s.n, .stride = {deal.apart, 0, mask_apart()}, .step = 1};
    exact.gather(m, one, {}, 0, s.n);
    end_words<T, set, ops>(m, exact, one, results, deal, 0, {.step = static_cast<int64_t>(i)});
  }
};

// Segments that a warp or less folds; of the others parts are noted.
template <class T, uint32_t set, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_segments(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                  const Results<M, ops>& results, const Deal& deal) {
  using S = Segments<T, set, ops, selects, M>;
  using All = typename S::All;
  const S segments{m, input, scratch, results, deal};
  const unsigned t = static_cast<unsigned>(m.thread()), lane = t % 32, lanes = 1u << deal.lane_bits,
                 groups = 32u >> deal.lane_bits;
  const Size warp = Size{m.block()} * block_warps + t / 32, first = warp * 32;
  const bool mine = first + lane < input.answers;
  SegmentSpan span;
  if (m.branch(mine)) span = segments.span(first + lane);
  const Size parts = segments.parts_of(span.n);
  All total;
  // Groups of lanes fold the short segments, turn by turn.
  ONEFOLD_NO_UNROLL
  for (unsigned turn = 0; turn < lanes; ++turn) {
    const unsigned of = turn * groups + (lane >> deal.lane_bits);
    const SegmentSpan its = segments.of_lane(span, of);
    All one;
    if (its.n <= deal.length) {
      // Of a lane alone 4: with 8, segments of 1 take a tenth longer, and a third of f64.
      if (lanes == 1) {
        segments.template take<4>(one, its, 0, 0, 1);
      } else {
        segments.template take<8>(one, its, 0, lane & (lanes - 1), lanes);
      }
    }
    segments.meet(one, lanes);
    // Group g has segment turn groups + g: lane l of that number takes it from there.
    const unsigned from = (lane % groups) << deal.lane_bits;
    const All given = one.from_lane(m, from);
    if (lane / groups == turn) total = given;
  }
  // By the warp.
  const bool middle = span.n > deal.length && parts == 0;
  ONEFOLD_NO_UNROLL
  for (uint32_t left = m.ballot(middle); left != 0; left &= left - 1) {
    const unsigned of = lowest_bit(left);
    All one;
    segments.template take<8>(one, segments.of_lane(span, of), 0, lane, 32);
    segments.meet(one, 32);
    if (lane == of) total = one;
  }
  // Long ones: their parts, noted by the warp. There is room for those of offsets that never fall;
  // where others rise and fall and rise, what does not fit is no part.
  ONEFOLD_NO_UNROLL
  for (uint32_t left = m.ballot(parts != 0); left != 0; left &= left - 1) {
    const unsigned of = lowest_bit(left);
    const auto count = static_cast<unsigned>(m.shuffle(parts, of));
    unsigned slot = 0;
    if (lane == of) slot = m.add(scratch.tickets, int{S::parts_ticket}, count);
    slot = m.shuffle(slot, of);
    const bool room = slot < deal.most_parts && count <= deal.most_parts - slot;
    ONEFOLD_NO_UNROLL
    for (unsigned k = lane; k < count && k + Size{slot} < deal.most_parts; k += 32) {
      const Size at = Size{slot + k} * S::noted;
      scratch.left[at] = room ? static_cast<int64_t>(first + of) : -1;
      scratch.left[at + 1] = static_cast<int64_t>(Size{count} << 32 | k);
    }
    if (!room && lane == of) segments.put_bad(first + lane);
  }
  if (m.branch(mine && parts == 0)) {
    if (span.bad) {
      segments.put_bad(first + lane);
    } else {
      const bool sure = S::Lane::put_all(m, total, input, deal.formulas, results, first + lane);
      if (!sure) note_undecided(m, scratch, first + lane);
    }
  }
}

// Folds by exact words, one block for each segment: any ops and any number of elements.
template <class T, uint32_t set, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_segment_words(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                       const Results<M, ops>& results, const Deal& deal) {
  const Segments<T, set, ops, selects, M> segments{m, input, scratch, results, deal};
  ONEFOLD_NO_UNROLL
  for (Size i = m.block(); i < input.answers; i += m.blocks()) {
    const SegmentSpan span = segments.span(i);
    if (!span.bad) {
      segments.put_words(i, span);
    } else if (static_cast<unsigned>(m.thread()) == 0) {
      segments.put_bad(i);
    }
  }
}

}  // namespace onefold::kernel
