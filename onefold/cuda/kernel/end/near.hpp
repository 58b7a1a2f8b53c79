// The epilogue of sums that take one addition for each element (feed/near_sum.hpp). A block's total
// is two words, which are added to words that also count arrivals. A total of 64 bits is rounded by
// the chip's conversion instruction.
#pragma once

#include "onefold/cuda/kernel/end/sums.hpp"
#include "onefold/cuda/kernel/feed/near_totals.hpp"
#include "onefold/cuda/kernel/number/convert.hpp"

namespace onefold::kernel {

// Rounds the answer if the chip's conversion cannot. Called by the last block's first warp.
template <class Totals, class T, OpSet ops, class M>
ONEFOLD_KERNEL_COLD void answer_near(M m, Arrival a, Workspace<M> workspace, int anchor, Size n,
                                     Results<M, ops> results) {
  constexpr uint32_t set = Totals::set;
  auto total = shared<int64_t, StateOf<T, set>::words, struct total_>(m);
  if constexpr (count_ops(ops) == 1) {
    if (!a.left && answer_tame<T, ops, Totals>(m, a, anchor, n, results)) return;
  }
  if (a.left) {
    // Each lane fences for itself: a fence orders only the accesses of its own thread.
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

template <class Totals, class T, int warps, OpSet ops, class M>
ONEFOLD_KERNEL void end_near(M m, const NearWarps& mine, int anchor, Size n, unsigned in_block,
                             const Workspace<M>& workspace, const Results<M, ops>& results) {
  constexpr uint32_t set = Totals::set;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
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
  // Each lane passes on one piece of the totals.
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
