// Folds a contiguous array into one state, in one launch, or in up to three for floats: each takes
// what the one before could not (lists.hpp), and returns at once if that is nothing.
//
//   grid     any; each warp takes every (blocks x warps)-th tile, or what a list tells it to
//   results  rounded answers, or one slice's words, not canonical, as plan/table.hpp's layout has
//            them
//   finish   the block that draws the last ticket adds the replicas up, finds indices, rounds, and
//            clears what it read, so that the next launch finds the workspace as this one did.
//            The few totals of sums are handed over by the first launch (end_sums.hpp)
#pragma once

#include "onefold/kernel/counted.hpp"
#include "onefold/kernel/counting.hpp"
#include "onefold/kernel/end_extremes.hpp"
#include "onefold/kernel/few_extremes.hpp"
#include "onefold/kernel/lists.hpp"
#include "onefold/kernel/near_sum.hpp"
#include "onefold/kernel/ring.hpp"
#include "onefold/kernel/thread/thread.hpp"

namespace onefold::kernel {

// By the block that has waited for all others; its own place in `blocks` is one of `places`.
template <class T, uint32_t set, int U, int warps, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void finish(M m, Input<M, T> input, Workspace<M> workspace, Tiles<T, U> tiles,
                                Results<M, ops> results, Size place, Size places) {
  using State = StateOf<T, set>;
  constexpr Accumulators extremal = Accumulator::least | Accumulator::greatest;
  constexpr bool extremes = !(extremal & Accumulators(set)).empty();
  constexpr bool indices = ops == 0 || asks(ops, OpIndex::argmin_) || asks(ops, OpIndex::argmax_);
  auto total = shared<int64_t, State::words, struct total_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  if (t < counters) workspace.counters[t] = 0u;
  if constexpr (extremes) {
    using All = Extremes<M, T, set, U, warps>;
    const auto found = All::best_of_blocks(m, workspace, place, places);
    All::template finish<indices>(m, found, input, tiles, total);
  }
  ONEFOLD_NO_UNROLL
  for (unsigned k = t; k < static_cast<unsigned>(State::words); k += m.threads()) {
    if (k - static_cast<unsigned>(State::offset(Accumulator::greatest)) <
            static_cast<unsigned>(State::size(Accumulator::greatest)) ||
        k - static_cast<unsigned>(State::offset(Accumulator::least)) <
            static_cast<unsigned>(State::size(Accumulator::least))) {
      continue;
    }
    // All are on their way before the first is written: one wait for memory instead of 16.
    int64_t words[replicas];
    ONEFOLD_UNROLL
    for (unsigned r = 0; r < replicas; ++r) words[r] = workspace.words[r * State::words + k];
    int64_t v = 0;
    ONEFOLD_UNROLL
    for (unsigned r = 0; r < replicas; ++r) {
      v += words[r];
      workspace.words[r * State::words + k] = int64_t{0};
    }
    if constexpr (State::has(Accumulator::tally)) {
      if (k == State::offset(Accumulator::tally) + accumulator::tally<T>::n) {
        v = static_cast<int64_t>(input.n);
      }
    }
    if constexpr (State::has(Accumulator::dot)) {
      if (k == State::offset(Accumulator::dot) + accumulator::dot<T>::n) {
        v = static_cast<int64_t>(input.n);
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

// A launch whose blocks draw tickets.
template <class T, uint32_t set, int U, int warps, uint32_t ops, Stage stage, class M>
ONEFOLD_KERNEL void ticketed(M m, const Input<M, T>& input, const Workspace<M>& workspace,
                             const Results<M, ops>& results, const Stages& stages) {
  using Part = Thread<M, T, set, U, warps, stage>;
  constexpr bool first = stage == Stage::first || takes_all(stage);
  constexpr auto has = [](Stage d) { return has_launch(dtype_of<T>, Accumulators(set), d); };
  const Lists<M, stage, stage == Stage::bins && has(Stage::wide)> lists(workspace, stages);
  if constexpr (!first) {
    if (lists.all == 0) return;
  }
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32;
  const Size warp = Size{m.block()} * warps + t / 32, all_warps = Size{m.blocks()} * warps;
  const Size place = stages.before(stage) + m.block();
  const bool may_give_up = !takes_all(stage) && has(Stage::bins) && stages.followed(stage);
  const Tiles<T, U> tiles(input.n, m.misaligned(input.x, Tiles<T, U>::line));
  const Size ragged = tiles.ragged();
  const In<M, T> body = input.x + tiles.head;
  const Words<M, T, set> words(m, workspace);
  [[maybe_unused]] const auto first_anchor = [&] {
    if constexpr (Part::arrives) {
      return Part::SumFeed::anchor_above(most_of_sample<T>(m, body, input.n - tiles.head));
    }
  };
  auto told = shared<unsigned, 1, struct told_>(m);
  if constexpr (stage == Stage::first && has(Stage::bins)) {
    // Whole blocks give up before they read, once so many warps have; but not the blocks that have
    // elements beside the full tiles, nor those that have warps without a tile.
    const Size block = m.block();
    if (may_give_up && block * warps * 32 >= ragged && (block + 1) * warps <= tiles.full) {
      if (t == 0) {
        const bool enough = lists.enough(m);
        if (enough) {
          if constexpr (Part::has_extremes)
            Extremes<M, T, set, U, warps>::leave_none(workspace, place);
          lists.give_block(m);
        }
        told[0] = enough ? 1u : 0u;
      }
      m.sync();
      const unsigned enough = told[0];
      if (enough != 0) {  // another launch finishes
        if constexpr (Part::arrives)
          end_of_given<typename Part::SumFeed>(m, words, workspace, first_anchor);
        return;
      }
    }
  }
  Part thread;
  typename Part::Deeper deeper;
  bool opened = false;
  constexpr bool two = takes_two<T, set>();
  In<M, T> other = input.y;
  if constexpr (two) other = input.y + tiles.head;
  [[maybe_unused]] const unsigned shift = two ? m.misaligned(other, 16) : 0;
  const auto load = [&](Size i, Chunk<T, U>& c, Chunk<T, U>& d) {
    c = load_chunk<T, U>(m, body, i, lane);
    if constexpr (two) d = load_other_chunk<T, U>(m, other, i, tiles.full, lane, shift);
  };
  // False: the warp has given up, and tile i is on the list.
  const auto add = [&](Size i, Chunk<T, U>& c, Chunk<T, U>& d) {
    const auto id = static_cast<uint32_t>(i + 1);
    const auto reach = thread.reach(m, c);
    if constexpr (Part::may_lack) {
      const bool may = Part::has_deeper || Part::goes_on || may_give_up;
      const auto fit = thread.fit(m, words, c, d, reach, may);
      using Fit = typename Part::SumFeed::Fit;
      if (fit == Fit::moved) {
        // Where registers are short the chunk had better not outlive what moves the anchor.
        if constexpr (Part::has_extremes) load(i, c, d);
      } else if (fit != Fit::yes) {
        bool added = false;
        if (fit == Fit::partly) {
          // Loaded again: registers that are common to what is rare and to what is not would be
          // moved about.
          Chunk<T, U> again, other;
          load(i, again, other);
          added = thread.add_partly(m, words, again, other, id, may);
        }
        if constexpr (Part::has_deeper) {
          if (!added) {
            Chunk<T, U> again, other;
            load(i, again, other);
            thread.add_deeper(m, words, again, id, deeper, opened);
          }
          return true;
        }
        if (!Part::goes_on && !added && lane == 0) lists.give(m, i);
        return added;
      }
    }
    thread.add(m, words, c, d, reach, id);
    return true;
  };
  Chunk<T, U> c{}, d{};
  constexpr bool by_ring = has_ring(dtype_of<T>, Accumulators(set), stage);
  // Until a tile is past the full ones. True: it has given up before.
  [[maybe_unused]] const auto add_by_ring = [&](auto tile) {
    // Of an array between vectors those that it begins in; but its first and last tiles would touch
    // what lies outside.
    In<M, T> second = other;
    if constexpr (two) second = other + -static_cast<int>(shift / sizeof(T));
    const auto whole = [&](Size i) { return shift == 0 || (i != 0 && i + 1 != tiles.full); };
    Ring<M, T, U, warps, two ? 2 : 1> ring(m, body, second);
    const auto bring = [&](Size i) {
      if (i < tiles.full) {
        ring.bring(m, 0, body, i);
        if (two && whole(i)) {
          ring.bring(m, 1, second, i);
          if (shift != 0) ring.bring_beyond(m, 1, second, i);
        }
      }
      ring.brought(m);
    };
    bring(tile.now);
    bring(tile.then());
    ONEFOLD_NO_UNROLL
    for (; tile.now < tiles.full; tile.move()) {
      ring.wait(m);
      c = ring.take(0);
      if constexpr (two) {
        if (!whole(tile.now)) [[unlikely]] {
          d = load_by_element<T, U>(m, other, tile.now, lane);
        } else {
          d = ring.take(1);
          if (shift != 0) shift_chunk(m, d, ring.take_beyond(m, 1), lane, shift);
        }
      }
      bring(tile.after());
      if (!add(tile.now, c, d)) break;
    }
    return tile.now < tiles.full;
  };
  thread.open(m);
  [[maybe_unused]] int anchor = 0;
  if constexpr (Part::arrives) {
    anchor = first_anchor();
    thread.counted_feed().open_at(anchor);
  }
  [[maybe_unused]] bool gave = false;
  if constexpr (first) {
    Size i = warp;
    if constexpr (by_ring) {
      gave = add_by_ring(Strided{warp, all_warps});
    } else {
      ONEFOLD_NO_UNROLL
      for (; i < tiles.full; i += all_warps) {
        load(i, c, d);
        if (!add(i, c, d)) break;
      }
      gave = i < tiles.full;
    }
    if constexpr (Part::goes_on) {
      if (i < tiles.full) [[unlikely]]
        thread.go_on(m, words, i, tiles.full, all_warps, load);
    }
    ONEFOLD_NO_UNROLL
    for (Size j = warp * 32 + lane; j < ragged; j += all_warps * 32) {
      const Size i = tiles.ragged_index(j);
      const T x = input.x[i];
      T y{};
      if constexpr (two) y = input.y[i];
      thread.add(m, words, x, y, tiles.ragged_id(j));
    }
  } else {
    // What the bins take is few ranges often, of which each is for 2^share warps then: var of f32
    // of 0.25 GiB of random bits 158 us instead of 215. (What the wide launch gives up is whole
    // ranges, which a warp by itself gives up as one.) The start of the next one is known before
    // this one's end.
    constexpr bool shared = stage == Stage::bins && sizeof(T) < 8;  // f64 loses 1 %
    int share = 0;
    if constexpr (shared) {
      while (share < 10 && lists.all << share <= 2 * all_warps) ++share;
    }
    const auto stride = [&] { return Size{stages.stride()} << share; };
    auto k = static_cast<typename detail::IndexOf<shared>::type>(warp);
    Size i = tiles.full, then = tiles.full;
    const auto skip = [&] {
      i = then;
      then = tiles.full;
      if constexpr (shared) {
        for (; k < lists.all << share && then >= tiles.full;
             k += static_cast<uint32_t>(all_warps)) {
          const uint32_t part = k & ((1u << share) - 1);
          then = lists.first_tile(k >> share) + Size{part} * stages.stride();
        }
      } else {
        if (k < lists.all) then = lists.first_tile(k);
        k += all_warps;
      }
    };
    skip();
    skip();
    if constexpr (by_ring) {
      add_by_ring(Queued{[&] {
        const Size now = i;
        i += stride();
        if (i >= tiles.full) skip();
        return now;
      }});
    } else {
      constexpr bool ahead = stage == Stage::bins && sizeof(T) == 8 && !two;  // few warps fit
      if (ahead && i < tiles.full) load(i, c, d);
      ONEFOLD_NO_UNROLL
      while (i < tiles.full) {
        if constexpr (ahead) {
          const Size now = i;
          i += stride();
          if (i >= tiles.full) skip();
          Chunk<T, U> loaded = c;
          if (i < tiles.full) load(i, c, d);
          add(now, loaded, d);
        } else {
          load(i, c, d);
          const bool added = add(i, c, d);
          i += stride();
          if (!added || i >= tiles.full) skip();
        }
      }
    }
  }
  if constexpr (Part::arrives) {
    auto& feed = thread.counted_feed();
    const Beside beside{.left = feed.lifted_so_far != 0 || warp * 32 < ragged,
                        .some = thread.some_not_negative_zero(),
                        .gave = gave};
    end_sums<T, set, warps, ops>(m, words, workspace, results, feed, anchor, beside, input.n);
  } else if constexpr (only_extremes(Accumulators(set))) {
    end_extremes<ops>(m, thread.extremes, input, tiles, workspace, results);
  } else {
    thread.close(m, words, workspace, place, deeper, opened);
    m.sync();
    unsigned is_last = 1;
    if (m.blocks() > 1) {  // a block by itself has nobody to wait for, and saves a way to memory
      if (t == 0) {
        m.fence();
        const auto order = takes_all(stage) ? 0 : static_cast<int>(stage);
        told[0] = m.add(workspace.counters, tickets + order, 1u) == m.blocks() - 1 ? 1u : 0u;
        m.fence();
      }
      m.sync();
      is_last = told[0];
    }
    if (is_last == 0 || (may_give_up && lists.something_given(m))) return;
    m.sync();
    finish<T, set, U, warps, ops>(m, input, workspace, tiles, results, place,
                                  stages.before(stage) + m.blocks());
  }
}

template <class T, uint32_t set, int U, int warps, uint32_t ops, Stage stage = Stage::first,
          class M>
ONEFOLD_KERNEL void whole(M m, const Input<M, T>& input, const Workspace<M>& workspace,
                          const Results<M, ops>& results, const Stages& stages) {
  if constexpr (takes_all(stage) && is_near_sum(dtype_of<T>, Accumulators(set))) {
    near_sum<T, set, U, warps, ops, stage>(m, input.x, input.n, workspace, results, stages);
  } else if constexpr (stage == Stage::small && only_extremes(Accumulators(set))) {
    few_extremes<T, set, U, warps, ops>(m, input, workspace, results);
  } else if constexpr (only_counts(dtype_of<T>, Accumulators(set))) {
    counting<T, set, U, warps, ops, stage>(m, input.x, input.n, workspace, results);
  } else if constexpr (Thread<M, T, set, U, warps, stage>::counted) {
    counted<T, set, U, warps, ops, stage>(m, input.x, input.n, workspace, results, stages);
  } else {
    ticketed<T, set, U, warps, ops, stage>(m, input, workspace, results, stages);
  }
}

}  // namespace onefold::kernel
