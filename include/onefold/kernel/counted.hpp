// The end of a block whose sums stand in windows: totals are handed over (arrivals.hpp), and the
// first warp of the last block makes the state and the answer of them.
//
//   anchor   all warps of a launch look at the same few elements, and begin with an anchor above
//            them; a warp whose data want another one leaves its sums in the workspace's words
//   cost     of tame data no fence, no ticket, and one way to the cache and back
#pragma once

#include "onefold/kernel/answers.hpp"
#include "onefold/kernel/arrivals.hpp"
#include "onefold/kernel/tiles.hpp"
#include "onefold/kernel/totals.hpp"

namespace onefold::kernel {

// The high word of the largest magnitude below `cap` among a few elements that are spread over the
// array: x begins at an address that vectors may have.
template <class T, class M>
ONEFOLD_KERNEL uint32_t sample_of(M m, In<M, T> x, Size n) {
  const auto lane = static_cast<unsigned>(m.lane());
  const Size vectors = n / (16 / sizeof(T)), step = vectors / 32;
  Vector16<uint32_t> v{};
  if (lane < vectors) {
    const Size i = step == 0 ? lane : lane * step;
    v = bit_cast<Vector16<uint32_t>>(m.stream(m.by_vector(x), i));
  } else if (lane < n) {
    const T one = x[lane];
    const auto bits = bit_cast<bits_of<T>>(one);
    v.v[3] = sizeof(T) == 8 ? static_cast<uint32_t>(static_cast<uint64_t>(bits) >> 32)
                            : static_cast<uint32_t>(bits);
  }
  uint32_t most = 0;
  ONEFOLD_UNROLL
  for (int k = sizeof(T) == 8 ? 1 : 0; k < 4; k += sizeof(T) == 8 ? 2 : 1) {
    const uint32_t h = v.v[k] & 0x7fffffffu;
    most = h > most && h < (sizeof(T) == 8 ? 0x7ff00000u : 0x7f800000u) ? h : most;
  }
  return most;
}

// Word k of a state by all replicas, which are 0 then.
template <int words, class M>
ONEFOLD_KERNEL_COLD int64_t take_replicas(M m, Out<M, int64_t> replica, unsigned k) {
  static_cast<void>(m);
  int64_t word[replicas];
  ONEFOLD_UNROLL
  for (unsigned r = 0; r < replicas; ++r) word[r] = replica[r * words + k];
  int64_t v = 0;
  ONEFOLD_UNROLL
  for (unsigned r = 0; r < replicas; ++r) {
    v += word[r];
    replica[r * words + k] = int64_t{0};
  }
  return v;
}

// Makes a state in shared memory of totals and of what was left. By the last block's first warp.
template <class Feed, class T, uint32_t set, class M>
ONEFOLD_KERNEL void collect(M m, const Arrival& a, const Workspace<M>& workspace, int anchor,
                            Size n, Shared<M, int64_t> total) {
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
  // Four lanes a total: each has one of its digits where it stands among the limbs.
  const unsigned i = lane / 4, digit = lane % 4;
  const int64_t low = m.shuffle(a.low, i), high = m.shuffle(a.high, i);
  if (i < Feed::N) {
    Int128 v = static_cast<Int128>(high) * (int64_t{1} << 32) + low;
    int position = Feed::position(static_cast<int>(i), anchor);
    if (position < 0) {  // bits below limb 0 are zeros
      v >>= -position;
      position = 0;
    }
    const Uint128 u = static_cast<Uint128>(v) << (position & 31);
    const auto half = static_cast<uint64_t>(digit < 2 ? u : u >> 64);
    const uint64_t word = half >> (digit & 1) * 32;
    // The last digit, or that of the last limb, has the sign.
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

// By a block. `left`: this lane has put something into the words.
template <class T, uint32_t set, int warps, uint32_t ops, class M, class Feed>
ONEFOLD_KERNEL void end_counted(M m, Words<M, T, set> words, const Workspace<M>& workspace,
                                const Results<M, ops>& results, Feed& feed, Shared<M, int> begin,
                                bool left, bool some, Size n) {
  using State = StateOf<T, set>;
  constexpr int N = Feed::N;
  // Where one warp can answer, the others are done when it has their sums.
  constexpr bool by_warp = !subtracts(ops) && count_ops(ops) < 3;
  auto low = shared<int64_t, N * warps, struct low_>(m);
  auto high = shared<int64_t, N * warps, struct high_>(m);
  auto marks = shared<int, warps, struct marks_>(m);
  auto told = shared<unsigned, 1, struct last_>(m);
  auto total = shared<int64_t, State::words, struct total_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
  // One sum of one or two windows fits 128 bits, and one op of it is answered in registers.
  constexpr bool tame = count_ops(ops) == 1 && Feed::one_sum;
  const auto quickly = [&](M m, const Arrival& a, int anchor) {
    if constexpr (tame) {
      const int64_t low0 = m.shuffle(a.low, 0), high0 = m.shuffle(a.high, 0);
      Int128 v = static_cast<Int128>(high0) * (int64_t{1} << 32) + low0;
      if constexpr (N == 2) {
        if (high0 >> 46 != high0 >> 63) return false;
        const int64_t low1 = m.shuffle(a.low, 1), high1 = m.shuffle(a.high, 1);
        v = v * (int64_t{1} << 48) + (static_cast<Int128>(high1) * (int64_t{1} << 32) + low1);
      }
      const bool negative = v < 0;
      const Leading magnitude(static_cast<Uint128>(negative ? -v : v), Feed::unit(anchor));
      return put_tame<T, ops>(m, results.place[0],
                              Tame{.n = n,
                                   .some_not_negative_zero = a.some,
                                   .sum = {magnitude, negative},
                                   .nan = results.nan,
                                   .correction = results.correction});
    }
    return false;
  };
  m.sync_warp();
  const int mine = begin[warp];
  if (!feed.stands_at(mine)) [[unlikely]]
    feed.spill(m, words);
  int64_t sums[N];
  feed.take_totals(sums);
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const WarpSum v = warp_sum(m, sums[i]);
    if (lane == 0) {
      low[i * warps + static_cast<int>(warp)] = v.low;
      high[i * warps + static_cast<int>(warp)] = v.high;
    }
  }
  const bool any_some = m.any(some), any_left = m.any(left) || feed.touched();
  if (lane == 0) marks[warp] = (any_left ? 2 : 0) + (any_some ? 1 : 0);
  m.sync();
  if (by_warp && warp != 0) return;
  const int anchor = begin[0];
  if (warp == 0) {
    int mark = 0;
    if (lane < warps) mark = marks[lane];
    const bool some_warp = m.any((mark & 1) != 0), left_warp = m.any((mark & 2) != 0);
    int64_t a = 0, b = 0;
    if (lane < N) {
      ONEFOLD_UNROLL
      for (int w = 0; w < warps; ++w) {
        const int64_t c = low[static_cast<int>(lane) * warps + w],
                      d = high[static_cast<int>(lane) * warps + w];
        a += c;
        b += d;
      }
    }
    if (left_warp) [[unlikely]]
      m.fence();
    const auto arrivals = workspace.words + replicas * State::words;
    const Arrival arrival = arrive<N>(m, arrivals, a, b, left_warp, some_warp);
    bool finishes = arrival.last;
    if (arrival.last) {
      if (arrival.left) [[unlikely]] {
        // Each lane by itself: what a lane's fence brings is not its neighbours'.
        static_cast<void>(load_relaxed(m, arrivals, 2 * N * arrival_stride));
        m.fence();
      }
      if (tame && !arrival.left && quickly(m, arrival, anchor)) [[likely]] {
        finishes = false;
      } else {
        collect<Feed, T, set>(m, arrival, workspace, anchor, n, total);
      }
    }
    if constexpr (by_warp) {
      if (!finishes) return;
    } else if (lane == 0) {
      told[0] = finishes ? 1u : 0u;
    }
  }
  if constexpr (!by_warp) {
    m.sync();
    const unsigned finishes = told[0];
    if (finishes == 0) return;
  }
  if constexpr (ops != 0) {
    if constexpr (by_warp) {
      answer_by_warp<T, set, ops>(m, total, results);
    } else {
      answer<T, set, ops, warps>(m, total, results);
    }
  } else {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t; k < static_cast<unsigned>(State::words); k += 32) {
      results.state[k] = total[k];
    }
  }
}

}  // namespace onefold::kernel
