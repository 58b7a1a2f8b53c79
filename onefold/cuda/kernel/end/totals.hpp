// Adds the sums of a block's lanes to the words of a state.
#pragma once

#include "onefold/cuda/kernel/number/scalar.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// Adds up the sums of lanes' windows (feed/windows.hpp) after `flushed` flushes, and clears them.
template <int N>
ONEFOLD_KERNEL void take_windows(uint64_t (&s)[N], const double (&magics)[N], int flushed,
                                 int64_t (&total)[N]) {
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    total[i] =
        static_cast<int64_t>(s[i] - static_cast<uint32_t>(flushed) * bit_cast<uint64_t>(magics[i]));
    s[i] = 0;
  }
}

// Thread i calls put(i, anchor, low, high) with the block's i-th total, low + high * 2^44, once for
// each run of warps with the same anchor. low < 2^49 warps, |high| < 2^25 warps.
template <int N, int warps, class M, class Put>
ONEFOLD_KERNEL void block_totals(M m, const int64_t (&s)[N], int anchor, Put put) {
  auto low = shared<int64_t, N * warps, struct low_>(m);
  auto high = shared<int64_t, N * warps, struct high_>(m);
  auto anchors = shared<int, warps, struct anchors_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32, warp = t / 32;
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const WarpSum v = warp_sum(m, s[i]);
    if (lane == 0) {
      low[i * warps + static_cast<int>(warp)] = v.low;
      high[i * warps + static_cast<int>(warp)] = v.high;
    }
  }
  if (lane == 0) anchors[warp] = anchor;
  m.sync();
  if (t < N) {
    const int i = static_cast<int>(t);
    int64_t a = 0, b = 0;
    int e = anchors[0];
    ONEFOLD_NO_UNROLL
    for (int w = 0; w < warps; ++w) {
      const int mine = anchors[w];
      if (mine != e) {
        put(i, e, a, b);
        a = b = 0;
        e = mine;
      }
      a += low[i * warps + w];
      b += high[i * warps + w];
    }
    put(i, e, a, b);
  }
}

// Lane i calls put(i, low, high) with the warp's i-th total; the lanes' sums become 0.
template <int N, class M, class Put>
ONEFOLD_KERNEL void warp_totals(M m, int64_t (&s)[N], Put put) {
  const auto lane = static_cast<unsigned>(m.lane());
  int64_t low = 0, high = 0;
  ONEFOLD_UNROLL
  for (int i = 0; i < N; ++i) {
    const WarpSum v = warp_sum(m, s[i]);
    if (lane == static_cast<unsigned>(i)) {
      low = v.low;
      high = v.high;
    }
    s[i] = 0;
  }
  if (lane < N) put(static_cast<int>(lane), low, high);
}

// Adds a total, times 2^(32 limb), to three limbs; the highest one has the sign.
template <class M, class T, uint32_t set>
ONEFOLD_KERNEL void add_total(M m, Words<M, T, set> words, Accumulator a, int limb, int64_t low,
                              int64_t high) {
  const int64_t rest = (low >> 32) + high * (int64_t{1} << 12);
  words.add(m, a, limb, low & 0xffffffff);
  words.add(m, a, limb + 1, rest & 0xffffffff);
  words.add(m, a, limb + 2, rest >> 32);
}

}  // namespace onefold::kernel
