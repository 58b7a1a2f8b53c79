// The second launch of a fold of segments: it folds, in parts, the segments too long for a chunk.
#pragma once

#include "onefold/cuda/kernel/segments.hpp"

namespace onefold::kernel {

// Each warp folds parts that the first launch has listed; the parts of a segment are merged in
// global memory.
template <class T, uint32_t set, OpSet ops, bool selects, class M>
ONEFOLD_KERNEL void fold_long_segments(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                       const Results<M, ops>& results, const Deal& deal) {
  using S = Segments<T, set, ops, selects, M>;
  enum : int { words = S::words, noted = S::noted };
  constexpr uint32_t of_group = 64;
  const S segments{m, input, scratch, results, deal};
  SegmentPieces<T, ops, selects, M> pieces{m, input, deal};
  pieces.open();
  const uint32_t asked = scratch.tickets[int{S::parts_ticket}],
                 all = asked < deal.most_parts ? asked : deal.most_parts,
                 warp = static_cast<uint32_t>(m.thread()) / 32;
  ONEFOLD_NO_UNROLL
  for (uint32_t p = static_cast<uint32_t>(m.block()) * block_warps + warp; p < all;
       p += static_cast<uint32_t>(m.blocks()) * block_warps) {
    const int64_t which = scratch.left[Size{p} * noted], number = scratch.left[Size{p} * noted + 1];
    // The segment has bad_offsets: not all of its parts fitted into the list.
    if (which < 0) continue;
    const auto i = static_cast<Size>(which);
    const auto part = static_cast<uint32_t>(number), slot = p - part;
    const Size before = part * deal.part;
    const SegmentSpan span = segments.span(i);
    SegmentSpan some = segments.further(span, before);
    const Size rest = before < span.n ? span.n - before : 0;
    some.n = rest < deal.part ? rest : deal.part;
    some.number = static_cast<uint32_t>(before);
    // All lanes share the part, so only lane 0 passes it to `fold`.
    if (segments.lane() != 0) some.n = 0;
    auto total = pieces.fold(some);
    // Merges 64 parts at a time, and then those groups, so that no warp has to read many totals.
    const auto parts = static_cast<uint32_t>(static_cast<Size>(number) >> 32);
    const uint32_t group = part / of_group, groups = (parts - 1) / of_group + 1,
                   before_group = group * of_group, rest_of_parts = parts - before_group;
    const auto meet = [&](uint32_t ticket, Size laid, uint32_t number_of_parts,
                          uint32_t which_part) {
      const Scratch<M> its{.tickets = scratch.tickets + (slot + ticket + int{S::first_ticket}),
                           .left = scratch.left + (Size{all} * noted + laid * words),
                           .undecided = {}};
      return meet_parts(m, its, number_of_parts, 0, which_part, total);
    };
    if (!meet(before_group, Size{slot} + before_group,
              rest_of_parts < of_group ? rest_of_parts : of_group, part % of_group)) {
      continue;
    }
    if (groups > 1 && !meet(1, Size{all} + slot / (of_group / 2), groups, group)) continue;
    if (segments.lane() == 0) segments.put(total, i);
  }
  // The last block to read the list clears its count, so that the next fold begins without parts.
  if (is_last_part(m, scratch, int{S::ended_ticket}, static_cast<uint32_t>(m.blocks()))) {
    if (static_cast<unsigned>(m.thread()) == 0) scratch.tickets[int{S::parts_ticket}] = 0u;
  }
}

}  // namespace onefold::kernel
