// The end of any set of accumulators. Blocks add their totals to words in memory and draw tickets
// after a fence. The block that draws the last ticket adds up the copies of the words, finds
// indices, rounds, and clears the workspace for the next launch. Extremes alone need no fence: the
// last block waits for their words (rivals.hpp).
#pragma once

#include "onefold/cuda/kernel/answer/answers.hpp"
#include "onefold/cuda/kernel/end/extremes.hpp"
#include "onefold/cuda/kernel/schedule/lists.hpp"

namespace onefold::kernel {

// Called by the block that draws the last ticket. n elements were added; `places` blocks have
// passed on extremes.
template <class T, uint32_t set, int U, int warps, OpSet ops, class M>
ONEFOLD_KERNEL_COLD void finish(M m, Input<M, T> input, Workspace<M> workspace, Tiles<T, U> tiles,
                                Results<M, ops> results, Size n, unsigned places) {
  using State = StateOf<T, set>;
  constexpr Accumulators extremal = Accumulator::least | Accumulator::greatest;
  constexpr bool extremes = !(extremal & Accumulators(set)).empty();
  constexpr bool indices = ops == 0 || uses_index(ops);
  auto total = shared<int64_t, State::words, struct total_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  if (!only_extremes(Accumulators(set)) && t < counters) workspace.counters[t] = 0u;
  if constexpr (extremes) {
    const auto best = best_of_blocks<T, set, warps>(m, workspace, places);
    if constexpr (only_extremes(Accumulators(set))) {
      if (put_extreme<T, set, U, warps>(m, best, input, tiles, results)) return;
    }
    put_extremes<indices, T, set, U, warps>(m, best, input, tiles, total);
  }
  ONEFOLD_NO_UNROLL
  for (unsigned k = t; k < static_cast<unsigned>(State::words); k += m.threads()) {
    if (k - static_cast<unsigned>(State::offset(Accumulator::greatest)) <
            static_cast<unsigned>(State::size(Accumulator::greatest)) ||
        k - static_cast<unsigned>(State::offset(Accumulator::least)) <
            static_cast<unsigned>(State::size(Accumulator::least))) {
      continue;
    }
    int64_t v = add_replicas<State::words>(m, workspace.words, k);
    if constexpr (State::has(Accumulator::tally)) {
      if (k == State::offset(Accumulator::tally) + accumulator::tally<T>::n) {
        v = static_cast<int64_t>(n);
      }
    }
    if constexpr (State::has(Accumulator::dot)) {
      if (k == State::offset(Accumulator::dot) + accumulator::dot<T>::n) {
        v = static_cast<int64_t>(n);
      }
    }
    total[k] = v;
  }
  m.sync();
  if constexpr (ops == 0) {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t; k < static_cast<unsigned>(State::words); k += m.threads()) {
      results.state[k] = total[k];
    }
  } else {
    answer<T, set, ops>(m, total, results);
  }
}

// Called by a block that has passed on its totals. given() returns whether tiles are left to
// another launch.
template <class T, uint32_t set, int U, int warps, OpSet ops, class M, class Given>
ONEFOLD_KERNEL void end_tickets(M m, int stage, unsigned places, Size n, const Input<M, T>& input,
                                const Tiles<T, U>& tiles, const Workspace<M>& workspace,
                                const Results<M, ops>& results, Given given) {
  constexpr bool by_words = only_extremes(Accumulators(set));
  auto told = shared<unsigned, 1, struct told_>(m);
  if constexpr (!by_words) m.sync();
  unsigned is_last = 1;
  if (m.blocks() > 1) {  // a single block need not wait, and saves an access to memory
    if (static_cast<unsigned>(m.thread()) == 0) {
      if constexpr (by_words) {
        told[0] = draw_ticket(m, workspace.counters) == m.blocks() - 1 ? 1u : 0u;
      } else {
        m.fence();
        told[0] = m.add(workspace.counters, tickets + stage, 1u) == m.blocks() - 1 ? 1u : 0u;
        m.fence();
      }
    }
    m.sync();
    is_last = told[0];
  }
  if (is_last == 0 || given()) return;
  m.sync();
  finish<T, set, U, warps, ops>(m, input, workspace, tiles, results, n, places);
}

}  // namespace onefold::kernel
