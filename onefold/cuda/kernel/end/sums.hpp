// The end of launches whose sums are held in a few totals. Blocks pass these on (arrivals.hpp), and
// the first warp of the last block makes the state and the answer.
//
//   gave     a block that leaves tiles to the next launch (lists.hpp) sets a flag when it arrives;
//            then the totals are added to the workspace's words, and the next launch finishes
#pragma once

#include "onefold/cuda/kernel/answer/answers.hpp"
#include "onefold/cuda/kernel/end/arrivals.hpp"
#include "onefold/cuda/kernel/end/totals.hpp"

namespace onefold::kernel {

template <int words, class M>
ONEFOLD_KERNEL_COLD int64_t take_replicas(M m, Out<M, int64_t> replica, unsigned k) {
  return add_replicas<words>(m, replica, k);
}

// Makes a state in shared memory from totals and words. Called by the last block's first warp.
template <class Feed, class T, uint32_t set, class M>
ONEFOLD_KERNEL_COLD void collect(M m, Arrival a, Workspace<M> workspace, int anchor, Size n,
                                 Shared<M, int64_t> total) {
  using State = StateOf<T, set>;
  const auto lane = static_cast<unsigned>(m.lane());
  ONEFOLD_NO_UNROLL
  for (unsigned k = lane; k < static_cast<unsigned>(State::words); k += 32) {
    int64_t v = 0;
    if (a.left) v = take_replicas<State::words>(m, workspace.words, k);
    if constexpr (State::has(Accumulator::tally)) {
      constexpr int tally = State::offset(Accumulator::tally);
      if (k == tally + accumulator::tally<T>::n) v = static_cast<int64_t>(n);
      if (k == tally + accumulator::tally<T>::not_negative_zero) v += a.some ? 1 : 0;
    }
    total[k] = v;
  }
  m.sync_warp();
  // Four lanes share a total: each adds one of its digits to its limb.
  const unsigned i = lane / 4, digit = lane % 4;
  const int64_t low = a.low(m, i), high = a.high(m, i);
  if (i < Feed::N) {
    Int128 v = static_cast<Int128>(high) * (int64_t{1} << 32) + low;
    int position = Feed::position(static_cast<int>(i), anchor);
    if (position < 0) {  // bits below limb 0 are always 0
      v >>= -position;
      position = 0;
    }
    const Uint128 u = static_cast<Uint128>(v) << (position & 31);
    const auto half = static_cast<uint64_t>(digit < 2 ? u : u >> 64);
    const uint64_t word = half >> (digit & 1) * 32;
    // The last digit, or the digit in the last limb, has the sign.
    const Accumulator its = Feed::accumulator(static_cast<int>(i));
    const int first = position >> 5, last = State::size(its) - 1 - first;
    const auto at = static_cast<int>(digit);
    int64_t d = static_cast<int64_t>(word & 0xffffffff);
    if (at == last || at == 3) {
      d = digit == 1   ? static_cast<int64_t>(static_cast<uint64_t>(u >> 32))
          : digit == 3 ? int64_t{static_cast<int32_t>(word)}
                       : static_cast<int64_t>(word);
    }
    if (d != 0 && at <= last) m.add(total, State::offset(its) + first + at, d);
  }
  m.sync_warp();
}

// Rounds the answer of the only op, if one sum in registers is enough for it. Returns false if not.
template <class T, OpSet ops, class Feed, class M>
ONEFOLD_KERNEL bool answer_tame(M m, const Arrival& a, int anchor, Size n,
                                const Results<M, ops>& results) {
  // One sum, made of one or two totals, fits 128 bits.
  const int64_t low = a.low(m, 0), high = a.high(m, 0);
  Int128 v = static_cast<Int128>(high) * (int64_t{1} << 32) + low;
  if constexpr (Feed::N == 2) {
    const int64_t low1 = a.low(m, 1), high1 = a.high(m, 1);
    if (high >> 46 != high >> 63) return false;
    v = v * (int64_t{1} << Feed::apart) + (static_cast<Int128>(high1) * (int64_t{1} << 32) + low1);
  }
  return put_tame<T, ops>(m, results.place[0], v, Feed::unit(anchor), a.some, n, results);
}

// Adds totals to the workspace's words. Called by the last block's first warp.
template <class Feed, class T, uint32_t set, class M>
ONEFOLD_KERNEL_COLD void leave_totals(M m, Arrival a, Words<M, T, set> words, int anchor) {
  const int lane = static_cast<int>(m.lane()), i = lane / 2;
  if (i < Feed::N) {
    words.deposit(m, Feed::accumulator(i), a.piece, Feed::position(i, anchor) + lane % 2 * 32);
  }
  if constexpr (StateOf<T, set>::has(Accumulator::tally)) {
    if (lane == 0 && a.some) {
      words.add(m, Accumulator::tally, accumulator::tally<T>::not_negative_zero, 1);
    }
  }
}

// Arrives for a block that has listed all of its tiles before it read any. anchor() returns the
// anchor of the other blocks.
template <class Feed, class T, uint32_t set, class M, class Anchor>
ONEFOLD_KERNEL void end_of_given(M m, Words<M, T, set> words, const Workspace<M>& workspace,
                                 Anchor anchor) {
  const auto t = static_cast<unsigned>(m.thread());
  if (t >= 32) return;
  const int64_t flags = Arrival::flags_of(false, false, true);
  const Arrival a = arrive_pieces<Feed::N>(m, workspace.words + replicas * StateOf<T, set>::words,
                                           t == 2 * Feed::N ? flags : 0);
  if (a.last) leave_totals<Feed>(m, a, words, anchor());
}

// Flags of a lane: facts that its totals do not show.
struct Beside {
  bool left;  // has added something to the workspace's words
  bool some;  // has seen a number other than -0
  bool gave;  // its warp leaves tiles to another launch
};

// A block's totals on their way to its first warp: one entry for each warp; the last entry adds up
// the warps' flags.
template <class M>
struct TotalsOfWarps {
  Shared<M, int64_t> low;
  Shared<M, int> high;
};

// Stores a warp's sums; they are valid after the block's barrier. Called by each warp.
template <int warps, class M, class Feed>
ONEFOLD_KERNEL void share_totals(M m, Feed& feed, Beside beside, TotalsOfWarps<M> to) {
  constexpr int N = Feed::N;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
  int64_t sums[N];
  feed.take_totals(sums);
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const WarpSum v = warp_sum(m, sums[i]);
    if (lane == 0) {
      to.low[i * warps + static_cast<int>(warp)] = v.low;
      to.high[i * warps + static_cast<int>(warp)] = static_cast<int>(v.high);
    }
  }
  const bool some = m.any(beside.some);
  if (lane == 0) {
    const int mark = N * warps + static_cast<int>(warp);
    to.low[mark] = Arrival::flags_of(beside.left || feed.touched(), some, beside.gave);
    to.high[mark] = 0;
  }
}

// Passes totals on. Called by the first warp: two lanes share a total, each passes one piece.
template <int N, int warps, class M>
ONEFOLD_KERNEL Arrival arrive_with(M m, TotalsOfWarps<M> block, Out<M, int64_t> arrivals) {
  const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
  int64_t a = 0, b = 0;
  if (lane <= 2 * N) {
    const int i = static_cast<int>(lane / 2) * warps;
    ONEFOLD_UNROLL
    for (int w = 0; w < warps; ++w) {
      const int64_t c = block.low[i + w];
      const int d = block.high[i + w];
      a += c;
      b += d;
    }
  }
  if (m.any(lane == 2 * N && Arrival::tells_left(a))) [[unlikely]]
    m.fence();
  return arrive<N>(m, arrivals, a, b);
}

// Ends a block whose warps have stored their sums. Called by the first warp. Returns whether this
// block is the last one and must still compute answers from the state in `total`.
template <class T, uint32_t set, OpSet ops, class Feed, class M>
ONEFOLD_KERNEL bool collects(M m, const Arrival& arrival, Words<M, T, set> words,
                             const Workspace<M>& workspace, const Results<M, ops>& results,
                             int anchor, Size n, Shared<M, int64_t> total) {
  constexpr bool tame = count_ops(ops) == 1 && Feed::one_sum;
  if (arrival.gave) [[unlikely]]
    leave_totals<Feed>(m, arrival, words, anchor);
  if (!arrival.last || arrival.gave) return false;
  if (arrival.left) [[unlikely]] {
    // Each lane fences for itself: a fence orders only the accesses of its own thread.
    const auto arrivals = workspace.words + replicas * StateOf<T, set>::words;
    static_cast<void>(load_relaxed<int64_t>(m, arrivals, 2 * Feed::N));
    m.fence();
  }
  if constexpr (tame) {
    if (!arrival.left && answer_tame<T, ops, Feed>(m, arrival, anchor, n, results)) [[likely]]
      return false;
  }
  collect<Feed, T, set>(m, arrival, workspace, anchor, n, total);
  return true;
}

// Ends the launch for this block. Called by a block.
template <class T, uint32_t set, int warps, OpSet ops, class M, class Feed>
ONEFOLD_KERNEL void end_sums(M m, Words<M, T, set> words, const Workspace<M>& workspace,
                             const Results<M, ops>& results, Feed& feed, int anchor, Beside beside,
                             Size n) {
  static_assert(warps <= Arrival::most_warps && warps <= Feed::most_warps);
  using State = StateOf<T, set>;
  constexpr int N = Feed::N;
  // If one warp can compute the answers, the other warps end after storing their sums.
  constexpr bool by_warp = !subtracts(ops) && count_ops(ops) < 3;
  const TotalsOfWarps<M> block{.low = shared<int64_t, (N + 1) * warps, struct low_>(m),
                               .high = shared<int, (N + 1) * warps, struct high_>(m)};
  auto told = shared<unsigned, 1, struct last_>(m);
  auto total = shared<int64_t, State::words, struct total_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  if (!feed.stands_at(anchor)) [[unlikely]] {
    feed.spill(m, words);
    beside.left = true;
  }
  share_totals<warps>(m, feed, beside, block);
  m.sync();
  if (by_warp && t >= 32) return;
  if (t < 32) {
    const Arrival arrival =
        arrive_with<N, warps>(m, block, workspace.words + replicas * State::words);
    const bool finishes =
        collects<T, set, ops, Feed>(m, arrival, words, workspace, results, anchor, n, total);
    if constexpr (by_warp) {
      if (!finishes) return;
    } else if (t == 0) {
      told[0] = finishes ? 1u : 0u;
    }
  }
  if constexpr (!by_warp) {
    m.sync();
    const unsigned finishes = told[0];
    if (finishes == 0) return;
  }
  if constexpr (ops == 0) {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t; k < static_cast<unsigned>(State::words); k += 32) {
      results.state[k] = total[k];
    }
  } else if constexpr (by_warp) {
    answer_by_warp<T, set, ops>(m, total, results);
  } else {
    answer<T, set, ops>(m, total, results);
  }
}

}  // namespace onefold::kernel
