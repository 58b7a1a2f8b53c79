// Folds whose sums stand in a few totals: blocks hand these over (arrivals.hpp), and the first warp
// of the last block makes the state and the answer of them.
//
//   anchor   all warps of a launch look at the same few elements, and begin with an anchor above
//            them; a warp whose data want another one leaves its sums in the workspace's words
//   cost     of tame data no fence, no ticket, and one way to the cache and back
#pragma once

#include "onefold/kernel/answers.hpp"
#include "onefold/kernel/arrivals.hpp"
#include "onefold/kernel/lists.hpp"
#include "onefold/kernel/thread/thread.hpp"
#include "onefold/kernel/tiles.hpp"
#include "onefold/kernel/totals.hpp"

namespace onefold::kernel {

// The high word, or of halves the bits, of the largest magnitude among a few elements that are
// spread over the array, of lanes that find no NaN or infinity: x begins at an address that vectors
// may have, n are from there.
template <class T, class M, class Index>
ONEFOLD_KERNEL uint32_t sample_of(M m, In<M, T> x, Index n) {
  constexpr uint32_t cap = sizeof(T) == 8 ? 0x7ff00000u : sizeof(T) == 4 ? 0x7f800000u : 0x7f80u;
  const auto lane = static_cast<unsigned>(m.lane());
  const Index vectors = n / (16 / sizeof(T)), step = vectors / 32;
  Vector16<uint32_t> v{};
  if (lane < vectors) {
    const Index i = step == 0 ? lane : lane * step;
    v = bit_cast<Vector16<uint32_t>>(m.stream(m.by_vector(x), i));
  } else if (lane < n) {
    const T one = x[lane];
    const auto bits = bit_cast<bits_of<T>>(one);
    v.v[3] = sizeof(T) == 8 ? static_cast<uint32_t>(static_cast<uint64_t>(bits) >> 32)
                            : static_cast<uint32_t>(bits);
  }
  uint32_t most = 0;
  if constexpr (sizeof(T) == 2) {
    ONEFOLD_UNROLL
    for (int k = 0; k < 4; ++k) most = m.max_halves(most, v.v[k] & 0x7fff7fffu);
    most = greater_half(most);
  } else {
    ONEFOLD_UNROLL
    for (int k = sizeof(T) == 8 ? 1 : 0; k < 4; k += sizeof(T) == 8 ? 2 : 1) {
      const uint32_t h = v.v[k] & 0x7fffffffu;
      most = h > most ? h : most;
    }
  }
  return m.redux_max(most < cap ? most : 0);
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
  // Four lanes a total: each has one of its digits where it stands among the limbs.
  const unsigned i = lane / 4, digit = lane % 4;
  const int64_t low = a.low(m, i), high = a.high(m, i);
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

// The answer to one op of one sum, in registers. False: it is not made so.
template <class T, uint32_t ops, class Feed, class M>
ONEFOLD_KERNEL bool answer_tame(M m, const Arrival& a, int anchor, Size n,
                                const Results<M, ops>& results) {
  // One sum of one or two totals fits 128 bits.
  const int64_t low = a.low(m, 0), high = a.high(m, 0);
  Int128 v = static_cast<Int128>(high) * (int64_t{1} << 32) + low;
  if constexpr (Feed::N == 2) {
    const int64_t low1 = a.low(m, 1), high1 = a.high(m, 1);
    if (high >> 46 != high >> 63) return false;
    v = v * (int64_t{1} << Feed::apart) + (static_cast<Int128>(high1) * (int64_t{1} << 32) + low1);
  }
  return put_tame<T, ops>(m, results.place[0], v, Feed::unit(anchor), a.some, n, results);
}

// By a block. `left`: this lane has put something into the words.
template <class T, uint32_t set, int warps, uint32_t ops, class M, class Feed>
ONEFOLD_KERNEL void end_counted(M m, Words<M, T, set> words, const Workspace<M>& workspace,
                                const Results<M, ops>& results, Feed& feed, int anchor, bool left,
                                bool some, Size n) {
  using State = StateOf<T, set>;
  constexpr int N = Feed::N;
  // Where one warp can answer, the others are done when it has their sums.
  constexpr bool by_warp = !subtracts(ops) && count_ops(ops) < 3;
  constexpr bool tame = count_ops(ops) == 1 && Feed::one_sum;
  // Of each warp its totals, and one more that tells what it has left and seen.
  auto low = shared<int64_t, (N + 1) * warps, struct low_>(m);
  auto high = shared<int, (N + 1) * warps, struct high_>(m);
  auto told = shared<unsigned, 1, struct last_>(m);
  auto total = shared<int64_t, State::words, struct total_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
  if (!feed.stands_at(anchor)) [[unlikely]] {
    feed.spill(m, words);
    left = true;
  }
  int64_t sums[N];
  feed.take_totals(sums);
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const WarpSum v = warp_sum(m, sums[i]);
    if (lane == 0) {
      low[i * warps + static_cast<int>(warp)] = v.low;
      high[i * warps + static_cast<int>(warp)] = static_cast<int>(v.high);
    }
  }
  const bool some_here = m.any(some);
  if (lane == 0) {
    const int mark = N * warps + static_cast<int>(warp);
    low[mark] = Arrival::flags_of(left || feed.touched(), some_here);
    high[mark] = 0;
  }
  m.sync();
  if (by_warp && warp != 0) return;
  if (warp == 0) {
    // Two lanes a total: each hands one of its pieces over.
    int64_t a = 0, b = 0;
    if (lane <= 2 * N) {
      const int i = static_cast<int>(lane / 2) * warps;
      ONEFOLD_UNROLL
      for (int w = 0; w < warps; ++w) {
        const int64_t c = low[i + w];
        const int d = high[i + w];
        a += c;
        b += d;
      }
    }
    if (m.any(lane == 2 * N && Arrival::tells_left(a))) [[unlikely]]
      m.fence();
    const auto arrivals = workspace.words + replicas * State::words;
    const Arrival arrival = arrive<N>(m, arrivals, a, b);
    bool finishes = arrival.last;
    if (arrival.last) {
      if (arrival.left) [[unlikely]] {
        // Each lane by itself: what a lane's fence brings is not its neighbours'.
        static_cast<void>(load_relaxed<int64_t>(m, arrivals, 2 * N));
        m.fence();
      }
      bool answered = false;
      if constexpr (tame) {
        answered = !arrival.left && answer_tame<T, ops, Feed>(m, arrival, anchor, n, results);
      }
      if (answered) [[likely]] {
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
      answer<T, set, ops>(m, total, results);
    }
  } else {
    ONEFOLD_NO_UNROLL
    for (unsigned k = t; k < static_cast<unsigned>(State::words); k += 32) {
      results.state[k] = total[k];
    }
  }
}

// Part i of an array.
template <class T, int U, class M, class Index>
ONEFOLD_KERNEL Chunk<T, U> load_part(M m, In<M, T> x, const Parts<T, U, Index>& parts, uint32_t i,
                                     unsigned lane) {
  if (i < parts.full) [[likely]]
    return load_chunk<T, U>(m, x + parts.head, Index{i}, lane);
  return load_last<T, U>(m, x, parts, i, lane);
}

// What becomes of a part that does not fit windows as they stand.
struct Misfit {
  enum Way : uint8_t { moves, is_done, goes_on };  // to another anchor; by itself; by bins
  Way way;
  int anchor;
  int lifted;  // elements of the warp so far
};
// Some elements are lifted, and the others go to the words through windows of their own. The part
// is loaded again, and nothing is shared with what is common.
template <class Part, class T, uint32_t set, int U, class M, class Index>
ONEFOLD_KERNEL_COLD Misfit look_at_misfit(M m, Words<M, T, set> words, In<M, T> x,
                                          Parts<T, U, Index> parts, uint32_t i, int lifted) {
  Chunk<T, U> c = load_part(m, x, parts, i, static_cast<unsigned>(m.lane()));
  Part part;
  part.open(m);
  auto& feed = part.counted_feed();
  feed.lifted_so_far = lifted;
  using Fit = typename Part::SumFeed::Fit;
  const Fit fit = feed.fit(m, words, c, part.reach(m, c), true);
  if (fit == Fit::yes || fit == Fit::moved) return {Misfit::moves, feed.stand(), lifted};
  if (fit == Fit::no || !part.add_partly(m, words, c, c, 0, true))
    return {Misfit::goes_on, 0, lifted};
  part.leave(m, words);
  return {Misfit::is_done, 0, feed.lifted_so_far};
}
// A warp's parts from i on, in pieces of so many loads. Bins are as quick as windows, but for their
// beginning and end.
template <class T, uint32_t set, int U, int warps, int loads = U, class M, class Index>
ONEFOLD_KERNEL_COLD void go_on_by_bins(M m, Words<M, T, set> words, In<M, T> x,
                                       Parts<T, U, Index> parts, uint32_t i, uint32_t step) {
  constexpr uint32_t of_part = U / loads;
  const Parts<T, loads, Index> pieces(parts);
  const auto first_of = [&](uint32_t part) {
    return part < parts.of_vectors ? part * of_part : pieces.of_vectors + (part - parts.of_vectors);
  };
  typename RealsAt<M, T, set, loads, warps, Depth::bins>::type bins;
  bins.open(m);
  uint32_t piece = first_of(i);
  ONEFOLD_NO_UNROLL
  while (piece < pieces.all) {
    Chunk<T, loads> c = load_part(m, x, pieces, piece, static_cast<unsigned>(m.lane()));
    if constexpr (sizeof(T) >= 4) {
      bins.clean(m, c, Reach<M, T, loads, false>::of(m, c));
    } else {
      bins.clean(m, c, Unused{});
    }
    bins.add(m, words, c);
    if ((piece + 1) % of_part != 0 && piece + 1 < pieces.of_vectors) {
      ++piece;
    } else {
      i += step;
      piece = first_of(i);
    }
  }
  bins.close(m, words);
  m.sync_warp();  // others' parts may be next
}

namespace detail {
template <bool few>
struct IndexOf {
  using type = Size;
};
template <>
struct IndexOf<true> {
  using type = uint32_t;
};
}  // namespace detail

// A launch that folds all of it.
template <class T, uint32_t set, int U, int warps, uint32_t ops, Depth depth, class M>
ONEFOLD_KERNEL void counted(M m, In<M, T> x, Size n, const Workspace<M>& workspace,
                            const Results<M, ops>& results, const Steps& steps) {
  using Part = Thread<M, T, set, U, warps, depth>;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32;
  using Index = typename detail::IndexOf<depth == Depth::few>::type;
  const Parts<T, U, Index> parts(static_cast<Index>(n), m.misaligned(x, 16));
  uint32_t i = m.block() * warps + t / 32;
  const uint32_t step = m.blocks() * warps;
  Chunk<T, U> c{};
  if (i < parts.all) c = load_part(m, x, parts, i, lane);  // and, meanwhile, the sample
  const Words<M, T, set> words(m, workspace);
  Part thread;
  auto& feed = thread.counted_feed();
  int anchor = 0;
  if constexpr (Part::may_lack) {
    anchor = feed.anchor_above(sample_of<T>(m, x + parts.head, static_cast<Index>(n) - parts.head));
  }
  if constexpr (!Part::may_lack) anchor = feed.anchor_above(0);
  thread.open(m);
  feed.open_at(anchor);
  bool left = false;
  [[maybe_unused]] int lifted = 0;
  [[maybe_unused]] uint32_t rest = parts.all;  // where bins go on
  ONEFOLD_NO_UNROLL
  while (i < parts.all) {
    const auto reach = thread.reach(m, c);
    bool add = true;
    if constexpr (Part::may_lack) {
      if (!feed.fits(m, c, reach)) [[unlikely]] {
        const Misfit misfit = look_at_misfit<Part>(m, words, x, parts, i, lifted);
        left = true;
        lifted = misfit.lifted;
        add = misfit.way == Misfit::moves;
        if (add) feed.move_to(m, words, misfit.anchor);
        if (misfit.way == Misfit::goes_on) {
          rest = i;
          break;
        }
      }
    }
    if (add) [[likely]]
      thread.add(m, words, c, c, reach, 0);
    i += step;
    if (i < parts.all) c = load_part(m, x, parts, i, lane);
  }
  if constexpr (Part::may_lack && sizeof(T) == 8) {
    // Bins are large: few warps have some, and take what the others leave.
    auto rests = shared<uint32_t, warps, struct rests_>(m);
    if (lane == 0) rests[t / 32] = rest;
    m.sync();
    if (t / 32 < steps.bin_warps) {
      ONEFOLD_NO_UNROLL
      for (unsigned w = t / 32; w < warps; w += steps.bin_warps) {
        const uint32_t from = rests[w];
        if (from < parts.all) {
          go_on_by_bins<T, set, U, warps>(m, words, x, parts, from, step);
          left = true;
        }
      }
    }
  } else if constexpr (Part::may_lack) {
    if (rest < parts.all) [[unlikely]]
      go_on_by_bins<T, set, U, warps>(m, words, x, parts, rest, step);
  }
  if constexpr (Part::has_counts) {
    if (thread.counts.leave(m, words)) left = true;
  }
  const bool some = thread.some_not_negative_zero();
  end_counted<T, set, warps, ops>(m, words, workspace, results, feed, anchor, left, some, n);
}

}  // namespace onefold::kernel
