// What the kernels of text 000 share: a block's elements in shared memory.
#pragma once

#include "lab/rung.hpp"

namespace onefold::lab {

// s[t] += s[t + h] for h = 32 .. 1 by one warp, each step behind the one before.
template <class M, class S, class Thread>
ONEFOLD_KERNEL void last_warp(M m, S s, Thread t, unsigned block) {
  if (t < 32) {
    for_constants<32, 16, 8, 4, 2, 1>([&]<int h>() {
      if (h >= block) return;
      if (t < h) s[t] += s[t + h];
      m.sync_warp();
    });
  }
}

// The sum of `v` over the block, for thread 0; the same for every thread's next call only after a
// sync. `sums` has a place for each warp.
template <unsigned B, class T, class M, class S, class Thread>
ONEFOLD_KERNEL T block_sum(M m, S sums, Thread t, T v) {
  for (unsigned d = 16; d > 0; d /= 2) v += m.shuffle_down(v, d);
  if constexpr (B > 32) {
    if (t % 32 == 0) sums[t / 32] = v;
    m.sync();
    if (t < 32) {
      v = t < B / 32 ? sums[t] : T(0);
      for (unsigned d = B / 64; d > 0; d /= 2) v += m.shuffle_down(v, d);
    }
  }
  return v;
}

}  // namespace onefold::lab
