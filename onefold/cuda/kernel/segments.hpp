// Folds segments: segment i has the elements from offset i up to offset i + input.ends.
//
//   chunk    a warp folds `deal.lanes` segments at a time, and each of its lanes rounds the answer
//            of one. A warp folds `deal.batch` chunks, and loads the next one's offsets before it
//            folds the present one
//   pieces   lanes add their segments tile by tile (segment_pieces.hpp)
//   long     a segment of more than `deal.part` elements is cut into parts, which are listed in
//            memory; in the second launch each warp folds a part, and the last one rounds
//   windows  segments may be windows, which overlap
//   several  if the array has further, kept axes, a segment has an answer for each index along
//            them: answer i belongs to segment i / deal.width. Such kernels are compiled with
//            `selects`, like those with masks or omitted NaN
//   words    ops without quick totals: each block folds whole segments, one after another
//   offsets  are on the device and unchecked: if they decrease or lie outside the array, the
//            segment's status says so, and none of its elements is read. Other code may change
//            them meanwhile, so each launch checks the offsets that it reads
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/end/words.hpp"
#include "onefold/cuda/kernel/quick/answers.hpp"
#include "onefold/cuda/kernel/segment_borders.hpp"
#include "onefold/cuda/kernel/segment_pieces.hpp"

namespace onefold::kernel {

template <class T, uint32_t set, OpSet ops, bool selects, class M>
struct Segments {
  using All = LaneTotals<T, ops, true>;
  using Lane = LaneAnswers<T, ops, true>;
  // Layout of `scratch.left`: two words for each listed part (its answer, or -1; its number and the
  // number of parts), then the totals of parts.
  enum : int { noted = 2, words = All::words };
  // Counters: listed parts, blocks that have ended, and one for each listed part, by which the
  // warps of a segment find the last one.
  enum : int { parts_ticket, ended_ticket, first_ticket };
  using Ends = SegmentEnds;

  M m;
  const NestInput<M, T>& input;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  const Deal& deal;

  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.thread()) % 32; }

  ONEFOLD_KERNEL SegmentOf which(Size answer) const {
    if constexpr (selects) return segment_of(input, answer, deal.width);
    return {answer};
  }
  ONEFOLD_KERNEL Ends ends_of(Size answer) const {
    return segment_ends(m, input, which(answer).segment);
  }
  ONEFOLD_KERNEL SegmentSpan span(Size i, const Ends& ends) const {
    SegmentSpan s;
    // As Size, negative offsets exceed input.elements.
    s.bad = ends.begin > ends.end || ends.end > input.elements;
    if (s.bad) return s;
    s.n = ends.end - ends.begin;
    if constexpr (selects) {
      if (input.kept != 0) {
        const Spot column = answer_at<All::pairs, true>(input, which(i).column);
        s.at = column.x;
        s.second = column.y;
        s.mask = column.mask;
      }
    }
    return further(s, ends.begin);
  }
  ONEFOLD_KERNEL SegmentSpan span(Size i) const { return span(i, ends_of(i)); }
  ONEFOLD_KERNEL SegmentSpan further(SegmentSpan s, Size elements) const {
    const auto n = static_cast<int64_t>(elements);
    s.at += selects ? n * deal.apart : n;
    if constexpr (All::pairs) s.second += selects ? n * stride(1) : n;
    if constexpr (selects) s.mask += n * stride(2);
    return s;
  }
  // Returns the stride of the second array (1) or of the mask (2) along the axis that segments cut.
  ONEFOLD_KERNEL int64_t stride(int of) const { return input.axis[input.kept].stride[of]; }

  ONEFOLD_KERNEL void put(const All& total, Size i) const {
    if (total.taken.n < input.windows.least) return put_too_few(m, results, i);
    const bool sure = Lane::put_all(m, total, input, deal.formulas, results, i);
    if (!sure) note_undecided(m, scratch, i);
  }
  // Returns how many elements the words of a window count.
  ONEFOLD_KERNEL Size counted(Shared<M, int64_t> words) const {
    using State = StateOf<T, set>;
    using Counts = accumulator::tally<T>;  // pairs have the same first words
    constexpr Accumulator of = All::pairs ? Accumulator::pairs : Accumulator::tally;
    if constexpr (!State::has(of)) {
      return ~Size{0};
    } else {
      const int64_t n = words[State::offset(of) + int{Counts::n}],
                    nan = words[State::offset(of) + int{Counts::nan}];
      return static_cast<Size>(input.chosen.omit ? n - nan : n);
    }
  }
  // Sets the status bad_offsets in the answers of all ops.
  ONEFOLD_KERNEL void put_bad(Size answer) const {
    ONEFOLD_UNROLL
    for (int k = 0; k < count_ops(ops); ++k) {
      if (results.place[k].has_status) {
        results.place[k].status[answer] = static_cast<uint8_t>(Status::bad_offsets);
      }
    }
  }
  // Lists the parts of those lanes' segments that are too long; lane k has answer first + k. The
  // list has room for all parts if offsets never decrease. If not, some parts may not fit: then
  // their segments get the status bad_offsets.
  ONEFOLD_KERNEL void note_parts(Size first, bool is_long, Size n) const {
    ONEFOLD_NO_UNROLL
    for (uint32_t left = m.ballot(is_long); left != 0; left &= left - 1) {
      const unsigned of = lowest_bit(left);
      const auto count =
          static_cast<unsigned>(quotient_of(m.shuffle(n, of) + deal.part - 1, deal.part));
      unsigned slot = 0;
      if (lane() == of) slot = m.add(scratch.tickets, int{parts_ticket}, count);
      slot = m.shuffle(slot, of);
      const bool room = slot < deal.most_parts && count <= deal.most_parts - slot;
      ONEFOLD_NO_UNROLL
      for (unsigned k = lane(); k < count && k + Size{slot} < deal.most_parts; k += 32) {
        const Size at = Size{slot + k} * noted;
        scratch.left[at] = room ? static_cast<int64_t>(first + of) : -1;
        scratch.left[at + 1] = static_cast<int64_t>(Size{count} << 32 | k);
      }
      if (!room && lane() == of) put_bad(first + lane());
    }
  }

  // One segment as a loop nest of one axis with a single answer.
  struct SegmentNest {
    In<M, T> x, y;
    In<M, uint8_t> mask;
    Size elements, repeats = 1;
    Size answer = 0, index = 0;
    uint32_t kept = 0, folded = 1;
    ElementSelection chosen;
    NestAxis axis[1];
  };
  ONEFOLD_KERNEL SegmentNest alone(const SegmentSpan& s) const {
    return {.x = input.x + s.at,
            .y = All::pairs ? input.y + s.second : input.y,
            .mask = input.chosen.masked ? input.mask + s.mask : input.mask,
            .elements = s.n,
            .chosen = input.chosen,
            .axis = {{.extent = s.n, .stride = {deal.apart, stride(1), stride(2)}, .step = 1}}};
  }
};

// First launch: each warp folds several chunks of segments, and lists the parts of long segments.
template <class T, uint32_t set, OpSet ops, bool selects, class M>
ONEFOLD_KERNEL void fold_segments(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                  const Results<M, ops>& results, const Deal& deal) {
  using S = Segments<T, set, ops, selects, M>;
  const S segments{m, input, scratch, results, deal};
  SegmentPieces<T, ops, selects, M> pieces{m, input, deal};
  pieces.open();
  const unsigned lane = segments.lane();
  const Size warp = Size{m.block()} * block_warps + static_cast<unsigned>(m.thread()) / 32,
             begin = warp * deal.batch * deal.lanes;
  const auto is_mine = [&](Size i) { return lane < deal.lanes && i < input.answers; };
  typename S::Ends next;
  if (m.branch(is_mine(begin + lane))) next = segments.ends_of(begin + lane);
  ONEFOLD_NO_UNROLL
  for (unsigned b = 0; b < deal.batch; ++b) {
    const Size first = begin + Size{b} * deal.lanes, i = first + lane, other = i + deal.lanes;
    const bool mine = is_mine(i);
    SegmentSpan span;
    if (m.branch(mine)) span = segments.span(i, next);
    if (m.branch(b + 1 < deal.batch && is_mine(other))) next = segments.ends_of(other);
    const bool is_long = span.n > deal.part;
    segments.note_parts(first, is_long, span.n);
    if (is_long) span.n = 0;
    const auto total = pieces.fold(span);
    if (!m.branch(mine && !is_long)) continue;
    if (span.bad) {
      segments.put_bad(i);
    } else {
      segments.put(total, i);
    }
  }
}

// Folds by exact words, one block for each segment: for any ops and numbers of elements.
template <class T, uint32_t set, OpSet ops, bool selects, class M>
ONEFOLD_KERNEL void fold_segment_words(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                       const Results<M, ops>& results, const Deal& deal) {
  const Segments<T, set, ops, selects, M> segments{m, input, scratch, results, deal};
  const BlockWords<M, T, set, true> words(m);
  ONEFOLD_NO_UNROLL
  for (Size i = m.block(); i < input.answers; i += m.blocks()) {
    const SegmentSpan span = segments.span(i);
    if (!span.bad) {
      const auto alone = segments.alone(span);
      words.gather(m, alone, Spot{}, 0, span.n);
      if (input.windows.least != 0 && segments.counted(words.words) < input.windows.least) {
        if (static_cast<unsigned>(m.thread()) == 0) put_too_few(m, results, i);
        m.sync();
        continue;
      }
      end_words<T, set, ops>(m, words, alone, results, deal, 0, {.step = static_cast<int64_t>(i)});
    } else if (static_cast<unsigned>(m.thread()) == 0) {
      segments.put_bad(i);
    }
  }
}

}  // namespace onefold::kernel
