// Sums of f32 or bf16, or of their magnitudes, in one launch of any size: one addition of f64 an
// element, where elements are near each other.
//
//   anchor   one for all warps, by a sample that all look at (near_totals.hpp)
//   wider    two windows; a part that they do not hold, and all that the warp has after it, goes to
//            the words by bins. Where not even the sample fits two windows, as many blocks as run
//            at once take all parts: to open and close bins costs a warp as much as a few parts
//   answer   a total of 64 bits by the machine's conversion; all else is out of line
//   grid     any: warps take parts in turn
//   cost     H200, 4 GiB beside a plain read of them, and what windows for all (whole.hpp) took:
//            f32 0.997 (0.990), lognormal 0.992 (0.978), random bits 0.969 (0.953); bf16 0.986
//            (0.977), 0.977 (0.966), 0.874 (0.889). f32 of 2^22 elements 6.9 us (8.1), 2^28 237
//            (243); bf16 of 2^28 124 (143)
#pragma once

#include "onefold/kernel/counted.hpp"
#include "onefold/kernel/near_totals.hpp"

namespace onefold::kernel {

// Parts i, i + step, ... of an array by a warp, of which c is the first; its totals.
template <class Totals, int warps, class T, int U, class M, class Index>
ONEFOLD_KERNEL NearWarps add_parts(M m, const Workspace<M>& workspace, In<M, T> x,
                                   const Parts<T, U, Index>& parts, uint32_t i, uint32_t step,
                                   int anchor, Chunk<T, U>& c) {
  constexpr uint32_t set = Totals::set;
  constexpr uint32_t most_taken = near_elements / Chunk<T, U>::elements;
  const Words<M, T, set> words(m, workspace);
  const uint32_t limit = Totals::limit_of(anchor);
  int64_t s = 0, s1 = 0;
  bool some = false, lower = false, left = false;
  ONEFOLD_NO_UNROLL
  for (uint32_t taken = 0; i < parts.all; ++taken) {
    if (taken == most_taken) [[unlikely]] {
      put_near<Totals>(m, words, anchor, s, s1);
      s = s1 = 0;
      taken = 0;
      left = true;
    }
    const NearReach reach = reach_of_near(m, c);
    const bool below = reach.most < limit;
    if (m.all(below & (reach.least >= Totals::floor_of(anchor, Totals::binades)))) [[likely]] {
      const NearPart v = add_near<Totals>(c, Totals::magic_of(0, anchor));
      s += v.sum;
      some = some | v.some;
    } else {
      if (!m.all(below & (reach.least >= Totals::floor_of(anchor, Totals::wider)))) break;
      const NearWindows v = windows_of_near<Totals>(c, anchor);
      s += v.upper;
      s1 += v.lower;
      some = some | !only_negative_zeros(c);
      lower = true;
    }
    i += step;
    if (i < parts.all) c = load_part(m, x, parts, i, static_cast<unsigned>(m.lane()));
  }
  if (i < parts.all) [[unlikely]] {
    // Of few a load at once: there is less to compile.
    go_on_by_bins<T, set, U, warps, Totals::few ? 1 : U>(m, words, x, parts, i, step);
    left = true;
  }
  NearWarps all{.upper = of_lanes(m, s), .lower = {}};
  if (lower) [[unlikely]]
    all.lower = of_lanes(m, s1);
  all.upper.said = (m.any(some) ? NearWarp::some : 0) | (lower ? NearWarp::lower : 0) |
                   (left ? NearWarp::left : 0);
  return all;
}
template <class Totals, class T, int U, int warps, class M, class Index>
ONEFOLD_KERNEL_COLD NearWarps add_parts_out_of_line(M m, Workspace<M> workspace, In<M, T> x,
                                                    Index n, uint32_t i, uint32_t step,
                                                    int anchor) {
  const Parts<T, U, Index> parts(n, m.misaligned(x, 16));
  Chunk<T, U> c = load_part(m, x, parts, i, static_cast<unsigned>(m.lane()));
  return add_parts<Totals, warps>(m, workspace, x, parts, i, step, anchor, c);
}
// The same where parts are small and each has its warp: few instructions, and near each other.
template <class Totals, int warps, class T, int U, class M, class Index>
ONEFOLD_KERNEL NearWarps add_part(M m, const Workspace<M>& workspace, In<M, T> x, Index n,
                                  const Parts<T, U, Index>& parts, uint32_t i, uint32_t step,
                                  int anchor, const Chunk<T, U>& c) {
  if (i >= parts.all) return {};
  const NearReach reach = reach_of_near(m, c);
  // All at once: a branch would cost as much as all of it.
  if (!m.all((reach.most < Totals::limit_of(anchor)) &
             (reach.least >= Totals::floor_of(anchor, Totals::binades)) & (step >= parts.all - i)))
      [[unlikely]] {
    return add_parts_out_of_line<Totals, T, U, warps>(m, workspace, x, n, i, step, anchor);
  }
  const NearPart v = add_near<Totals>(c, Totals::magic_of(0, anchor));
  NearWarps all{.upper = of_lanes(m, v.sum), .lower = {}};
  all.upper.said = m.any(v.some) ? NearWarp::some : 0;
  return all;
}

// The answer where it takes more than a conversion. By the last block's first warp.
template <class Totals, class T, uint32_t ops, class M>
ONEFOLD_KERNEL_COLD void answer_near(M m, Arrival a, Workspace<M> workspace, int anchor, Size n,
                                     Results<M, ops> results) {
  constexpr uint32_t set = Totals::set;
  auto total = shared<int64_t, StateOf<T, set>::words, struct total_>(m);
  if constexpr (count_ops(ops) == 1) {
    if (!a.left && answer_tame<T, ops, Totals>(m, a, anchor, n, results)) return;
  }
  if (a.left) {
    // Each lane by itself: what a lane's fence brings is not its neighbours'.
    if (m.blocks() > 1) {
      static_cast<void>(
          load_relaxed<int64_t>(m, workspace.words + replicas * StateOf<T, set>::words, 4));
    }
    m.fence();
  }
  collect<Totals, T, set>(m, a, workspace, anchor, n, total);
  if constexpr (ops != 0) {
    answer_by_warp<T, set, ops>(m, total, results);
  } else {
    ONEFOLD_NO_UNROLL
    for (int k = static_cast<int>(m.lane()); k < StateOf<T, set>::words; k += 32) {
      results.state[k] = total[k];
    }
  }
}

// The least key and the most magnitude of a sample make an anchor.
template <class Totals, class T, class M>
ONEFOLD_KERNEL typename Totals::Anchor anchor_of_near(M m, const Vector16<uint32_t>& v) {
  uint32_t most = 0, least = ~0u;
  const auto look = [&](uint32_t w) {
    const uint32_t h = w & 0x7fffffffu, key = w * 2 - 1;
    most = h > most ? h : most;
    least = key < least ? key : least;
  };
  ONEFOLD_UNROLL
  for (int k = 0; k < 4; ++k) {
    if constexpr (sizeof(T) == 2) {
      look(v.v[k] << 16);
      look(v.v[k] & 0xffff0000u);
    } else {
      look(v.v[k]);
    }
  }
  if (most >= 0x7f800000u) most = 0;  // NaN or an infinity says nothing
  return Totals::anchor_above(m.redux_max(most), m.redux_min(least));
}

template <class T, uint32_t set, int U, int warps, uint32_t ops, Stage stage, class M>
ONEFOLD_KERNEL void near_sum(M m, In<M, T> x, Size n, const Workspace<M>& workspace,
                             const Results<M, ops>& results, const Stages& stages) {
  using Totals = NearTotals<T, set, stage>;
  static_assert(near_elements * 32 * warps <= 1 << 21);  // sums of a block up to 2^68
  constexpr bool few = Totals::few;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32, in_block = few ? opaque(m.threads() / 32) : warps;
  using Index = typename detail::IndexOf<few>::type;
  const auto size = static_cast<Index>(n);
  const Parts<T, U, Index> parts(size, m.misaligned(x, 16));
  const unsigned block = m.block();
  const bool at_once = few || block < stages.at_once;
  uint32_t i = block * in_block + warp, step = m.blocks() * in_block;
  Chunk<T, U> c{};
  if (at_once && i < parts.all) c = load_part(m, x, parts, i, lane);  // and, meanwhile, the sample
  const auto [anchor, spread] =
      anchor_of_near<Totals, T>(m, sample_of<T>(m, x + parts.head, size - parts.head));
  if constexpr (!few) {
    if (spread && stages.at_once < m.blocks()) {
      step = stages.at_once * in_block;
      if (!at_once) i = parts.all;
    } else if (!at_once && i < parts.all) {
      c = load_part(m, x, parts, i, lane);
    }
  }
  NearWarps mine;
  if constexpr (few) {
    mine = add_part<Totals, warps>(m, workspace, x, size, parts, i, step, anchor, c);
  } else {
    mine = add_parts<Totals, warps>(m, workspace, x, parts, i, step, anchor, c);
  }
  auto of_warps = shared<NearWarp, warps, struct of_warps_>(m),
       lower_of_warps = shared<NearWarp, warps, struct lower_of_warps_>(m);
  if (lane == 0) {
    of_warps[warp] = mine.upper;
    if (mine.upper.said & NearWarp::lower) lower_of_warps[warp] = mine.lower;
  }
  m.sync();
  if (warp != 0) return;
  NearWarp w{}, lower_w{};
  if (lane < in_block) w = of_warps[lane];
  const NearPieces upper = pieces_of(m, w);
  const uint32_t said = m.redux_add(w.said);
  const bool left = said >= NearWarp::left, some = said % NearWarp::lower != 0;
  bool lower = said % NearWarp::left >= NearWarp::lower;
  int64_t low = upper.low, high = upper.high, low1 = 0, high1 = 0;
  if (lower) [[unlikely]] {
    if (w.said & NearWarp::lower) lower_w = lower_of_warps[lane];
    const NearPieces v = pieces_of(m, lower_w);
    low1 = v.low;
    high1 = v.high;
  }
  // Piece by piece as blocks hand them over.
  const int64_t of_low = lane < 2 ? low : low1, of_high = lane < 2 ? high : high1;
  Arrival a{.last = true,
            .left = left,
            .some = some,
            .gave = false,
            .piece = lane % 2 != 0 ? of_high : of_low};
  if (m.blocks() > 1) {
    if (left) [[unlikely]]
      m.fence();
    const int64_t flags = Arrival::flags_of(left, some);
    a = arrive_pieces<2>(m, workspace.words + replicas * StateOf<T, set>::words,
                         lane == 4 ? flags : a.piece);
    if (!a.last) return;
    low = a.low(m, 0);
    high = a.high(m, 0);
    lower = m.any((lane == 2 || lane == 3) && a.piece != 0);
  }
  lower = lower || high >> 30 != high >> 63;
  const int64_t v = low + high * (int64_t{1} << 32);
  bool answered = false;
  if constexpr (count_ops(ops) == 1) {
    if constexpr (is_plain<T, ops>()) {
      uint64_t bits = 0;
      const Place<M>& place = results.place[0];
      if (!lower && !a.left && place.dtype == dtype_of<T> &&
          convert<T>(v, Totals::unit(anchor) + Totals::apart, bits)) [[likely]] {
        if (lane == 0) put_bits(m, place, sizeof(T), bits, Status::ok);
        answered = true;
      }
    }
  }
  if (!answered) answer_near<Totals, T, ops>(m, a, workspace, anchor, n, results);
}

}  // namespace onefold::kernel
