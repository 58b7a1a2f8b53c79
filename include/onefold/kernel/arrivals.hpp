// How blocks hand over their totals without a fence and a ticket: by words that count who has come.
//
//   word     its high 13 bits: blocks that have added to it; the others: the sum of their pieces
//   piece    of a total v: v mod 2^32 in one word, (v >> 32) + 2^36 in the next
//   last     the block whose addition makes the first word's count full; of the other words some
//            additions may be on their way still, and are waited for
//   left     what a block could not put into its totals it has left in the workspace's words by
//            atomics, before a fence; it says so in one word more
//   bound    8191 blocks, |v| < 2^68
//   source   shared probes of exact sums on an H200: one way to the cache and back instead of
//   three,
//            0.75 to 1.8 us of a call
#pragma once

#include "onefold/kernel/lift.hpp"

namespace onefold::kernel {

// What the last block's first warp knows: lane i the i-th total, low + high * 2^32.
struct Arrival {
  bool last;
  bool left;  // some blocks have left something
  bool some;  // some block has said so
  int64_t low, high;
};

// p[k], which others add to meanwhile: a relaxed load.
template <class M>
ONEFOLD_KERNEL int64_t load_relaxed(M m, Out<M, int64_t> p, int k) {
#if defined(__CUDA_ARCH__)
  static_cast<void>(m);
  int64_t v;
  asm volatile("ld.relaxed.gpu.s64 %0, [%1];" : "=l"(v) : "l"(p + k));
  return v;
#else
  return m.add(p, k, 0);
#endif
}

// Word k, of which v is known, once all blocks have added to it. On the simulated machine blocks
// run one after another, and what is not there does not come.
template <class M>
ONEFOLD_KERNEL uint64_t when_full(M m, Out<M, int64_t> words, int k, uint64_t v, int shift,
                                  uint64_t blocks) {
#if defined(__CUDA_ARCH__)
  while (v >> shift != blocks) v = static_cast<uint64_t>(load_relaxed(m, words, k));
#else
  static_cast<void>(m), static_cast<void>(words), static_cast<void>(k), static_cast<void>(shift),
      static_cast<void>(blocks);
#endif
  return v;
}

// By a block's first warp: lane i < N has the i-th total, low + high * 2^44, 0 <= low.
template <int N, class M>
ONEFOLD_KERNEL Arrival arrive(M m, Out<M, int64_t> words, int64_t low, int64_t high, bool left,
                              bool some) {
  static_assert(N <= most_totals);
  constexpr int shift = 51, flag = 24;
  constexpr uint64_t one = uint64_t{1} << shift;
  constexpr int64_t bias = int64_t{1} << 36;
  const auto lane = static_cast<int>(m.lane());
  const uint64_t blocks = m.blocks();
  const int first = 2 * lane * arrival_stride, second = first + arrival_stride;
  uint64_t a = 0, b = one * blocks;
  if (lane < N) {
    a = static_cast<uint64_t>(low & 0xffffffff);
    high = (low >> 32) + high * (int64_t{1} << 12);
    b = static_cast<uint64_t>(high + bias);
  } else if (lane == N) {
    a = (left ? uint64_t{1} << flag : 0) + (some ? 1 : 0);
  }
  if (blocks > 1) {
    const auto add = [&](int k, uint64_t v) {
      return static_cast<uint64_t>(m.add(words, k, static_cast<int64_t>(v))) + v;
    };
    if (lane <= N) a = add(first, a + one);
    if (lane < N) b = add(second, b + one);
    if ((m.shuffle(a, 0) >> shift) != blocks) return {};
    if (lane <= N) {
      a = when_full(m, words, first, a, shift, blocks);
      add(first, 0 - a);
    }
    if (lane < N) {
      b = when_full(m, words, second, b, shift, blocks);
      add(second, 0 - b);
    }
  }
  a &= one - 1;
  b &= one - 1;
  const uint64_t flags = m.shuffle(a, N);
  return {.last = true,
          .left = flags >> flag != 0,
          .some = (flags & ((uint64_t{1} << flag) - 1)) != 0,
          .low = static_cast<int64_t>(a),
          .high = static_cast<int64_t>(b) - static_cast<int64_t>(blocks) * bias};
}

}  // namespace onefold::kernel
