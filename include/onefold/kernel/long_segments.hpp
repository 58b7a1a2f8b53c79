// The second launch of a fold of segments: folds those that are too long for a warp.
#pragma once

#include "onefold/kernel/end/parts.hpp"
#include "onefold/kernel/segments.hpp"

namespace onefold::kernel {

// The parts that the first launch has noted, a block each; they meet in memory.
template <class T, uint32_t set, uint32_t ops, bool selects, class M>
ONEFOLD_KERNEL void fold_long_segments(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                       const Results<M, ops>& results, const Deal& deal) {
  using S = Segments<T, set, ops, selects, M>;
  using All = typename S::All;
  enum : int { words = S::words };
  const S segments{m, input, scratch, results, deal};
  const unsigned t = static_cast<unsigned>(m.thread()), lane = t % 32, warps = m.threads() / 32;
  const auto of_warps = shared<int64_t, block_warps * words, struct of_warps_>(m);
  const uint32_t asked = scratch.tickets[int{S::parts_ticket}],
                 noted = asked < deal.most_parts ? asked : deal.most_parts;
  const auto left = scratch.left + Size{noted} * S::noted;
  ONEFOLD_NO_UNROLL
  for (uint32_t p = static_cast<uint32_t>(m.block()); p < noted; p += m.blocks()) {
    const int64_t which = scratch.left[Size{p} * S::noted],
                  number = scratch.left[Size{p} * S::noted + 1];
    if (which < 0) continue;  // there was no room for it
    const Size i = static_cast<Size>(which), part = static_cast<Size>(number) & 0xffffffffu,
               parts = static_cast<Size>(number) >> 32, before = part * deal.part;
    const SegmentSpan span = segments.span(i);
    SegmentSpan some = segments.further(span, before);
    const Size rest = before < span.n ? span.n - before : 0;
    some.n = rest < deal.part ? rest : deal.part;
    const uint32_t slot = p - static_cast<uint32_t>(part);
    All total;
    segments.template take<8>(total, some, static_cast<uint32_t>(before), t, m.threads());
    segments.meet(total, 32);
    if (lane == 0) total.store(of_warps + t / 32 * words, 1);
    m.sync();
    if (t == 0) {
      All sum;
      ONEFOLD_NO_UNROLL
      for (unsigned w = 0; w < warps; ++w) sum.add(All::load(of_warps + w * words, 1));
      sum.store(left + Size{p} * words, 1);
    }
    if (!is_last_part(m, scratch, Size{slot} + int{S::first_ticket},
                      static_cast<uint32_t>(parts))) {
      continue;
    }
    All sum;
    ONEFOLD_NO_UNROLL
    for (Size k = t; k < parts; k += m.threads()) {
      sum.add(All::load(left + (Size{slot} + k) * words, 1));
    }
    segments.meet(sum, 32);
    if (lane == 0) sum.store(of_warps + t / 32 * words, 1);
    m.sync();
    if (t == 0) {
      All all;
      ONEFOLD_NO_UNROLL
      for (unsigned w = 0; w < warps; ++w) all.add(All::load(of_warps + w * words, 1));
      const bool sure = S::Lane::put_all(m, all, input, deal.formulas, results, i);
      if (!sure) note_undecided(m, scratch, i);
    }
    m.sync();
  }
  // The next fold finds no parts: the last block that has seen them all clears their number.
  if (is_last_part(m, scratch, int{S::ended_ticket}, static_cast<uint32_t>(m.blocks()))) {
    if (t == 0) scratch.tickets[int{S::parts_ticket}] = 0u;
  }
}

}  // namespace onefold::kernel
