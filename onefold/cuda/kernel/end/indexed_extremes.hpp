// The end of extremes with indices (feed/indexed_extremes.hpp): one warp of the last block merges
// the best elements of all blocks (rivals.hpp) and writes the answers.
#pragma once

#include "onefold/cuda/kernel/end/seen_extremes.hpp"
#include "onefold/cuda/kernel/feed/indexed_extremes.hpp"

namespace onefold::kernel {

// Writes the answers from the best elements. Called by one thread.
template <class T, uint32_t set, OpSet ops, class M>
ONEFOLD_KERNEL_COLD void answer_extremes(M m, SeenExtremes<T> g, Results<M, ops> results) {
  if constexpr (ops == 0) {
    g.template put_state<set>(results.state);
  } else {
    int k = 0;
    each_op<ops>([&]<class Op>() {
      if constexpr (requires { Op::finish(g); }) {
        put_cold<steps_of<T, ops>()>(m, results.place[k], Op::finish(g));
      }
      ++k;
    });
  }
}
template <class T, uint32_t set, int warps, OpSet ops, class Feed, class M>
ONEFOLD_KERNEL void end_indexed_extremes(M m, const Feed& mine, Size index_of_first,
                                         unsigned in_block, const Workspace<M>& workspace,
                                         const Results<M, ops>& results) {
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
  using All = Rivals<T, set>;
  All all(mine.least, mine.greatest, mine.first_nan);
  all.meet_lanes(m);
  if (in_block > 1) {
    all.template leave_in_block<warps>(m);
    m.sync();
    if (warp != 0) return;
    all.template take_of_block<warps>(m, in_block);
  }
  if (m.blocks() > 1) {
    const auto slots = workspace.rivals;
    const unsigned blocks = m.blocks();
    uint32_t order = 0;
    if (lane == 0) {
      all.hand_over(m, slots, m.block());
      order = draw_ticket(m, workspace.counters);
    }
    // Slots are read before this block knows whether it is last, since most of them are filled by
    // then. With many blocks they are read later: all blocks would read the same cache lines.
    const bool one_each = blocks <= 32;
    typename All::PassedWords first[1];
    if (one_each) {
      if (lane < blocks) first[0].look(m, slots, lane);
      // No word is ever 1. The compiler does not know that, and so loads before the ticket.
      order += m.any(first[0].words[0] == 1) ? 1 : 0;
    }
    if (m.shuffle(order, 0) != blocks - 1) return;
    if (one_each) {
      all.take(m, slots, lane, 32, blocks, first);
    } else {
      all.take_all(m, slots, lane, 32, blocks);
    }
    all.meet_lanes(m);
  }
  if (lane != 0) return;
  using Only = OnlyExtreme<ops>;
  const auto index = [&](uint32_t at) { return at == no_tile ? none : index_of_first + at; };
  if constexpr (Only::is_one) {
    const auto& best = Only::least ? all.least() : all.greatest();
    if (Only::template answers<T>(best, all.first_nan != no_tile, results)) {
      return Only::put(m, best, index(best.stands_at()), results);
    }
  }
  const SeenExtremes<T> g{.least = all.least(),
                          .greatest = all.greatest(),
                          .least_index = index(all.least().stands_at()),
                          .greatest_index = index(all.greatest().stands_at()),
                          .nan_index = index(all.first_nan),
                          .nan = results.nan};
  answer_extremes<T, set, ops>(m, g, results);
}

}  // namespace onefold::kernel
