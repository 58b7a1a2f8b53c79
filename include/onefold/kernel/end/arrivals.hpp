// Passes the totals of blocks to the last block without fence and ticket: by words that also count
// the blocks that have added to them.
//
//   word     its high 13 bits: blocks that have added to it; the others: the sum of their pieces
//   piece    of a total v: v mod 2^32 in one word, (v >> 32) + 2^36 in the next
//   last     the block whose addition completes the count of the first word. It waits until the
//            counts of the other words are complete, too
//   left     elements that do not fit a block's totals are added to the workspace's words by
//            atomics, before a fence; one more word says so, and whether the block gives tiles up
//   cost     one instruction for all words, one lane for each: one round trip to the cache. Two
//            instructions would take two, since the second waits for registers of the first
//   bound    8191 blocks, |v| <= 2^68
//   source   bench/results/gpu_whole.md, an H200: one round trip to the cache instead of three
#pragma once

#include "onefold/kernel/words.hpp"

namespace onefold::kernel {

// The result of an arrival; complete in the first warp of the last block only.
struct Arrival {
  bool last;
  bool left;      // some warp has left something in the workspace's words
  bool some;      // some warp has said so
  bool gave;      // some warp leaves something to another launch
  int64_t piece;  // lanes 2 i and 2 i + 1: the sums of the i-th total's low and high pieces

  // The flags that a warp adds to its totals.
  ONEFOLD_KERNEL static int64_t flags_of(bool left, bool some, bool gave = false) {
    return (gave ? int64_t{1} << 2 * flag : 0) + (left ? int64_t{1} << flag : 0) + (some ? 1 : 0);
  }
  ONEFOLD_KERNEL static bool tells_some(int64_t flags) { return flags % (1 << flag) != 0; }
  ONEFOLD_KERNEL static bool tells_left(int64_t flags) { return tells_some(flags >> flag); }
  ONEFOLD_KERNEL static bool tells_gave(int64_t flags) { return flags >> 2 * flag != 0; }
  static constexpr int flag = 17, most_warps = 16;  // of a block
  static_assert(most_arrivals * most_warps < 1 << flag);
  // The i-th total is low + high * 2^32.
  template <class M>
  ONEFOLD_KERNEL int64_t low(M m, unsigned i) const {
    return m.shuffle(piece, 2 * i);
  }
  template <class M>
  ONEFOLD_KERNEL int64_t high(M m, unsigned i) const {
    return m.shuffle(piece, 2 * i + 1);
  }
};

// Word k, of which v is known, once all blocks have added to it. On the simulated machine blocks
// run one after another, and what is not there does not come.
template <class M>
ONEFOLD_KERNEL uint64_t when_full(M m, Out<M, int64_t> words, int k, uint64_t v, int shift,
                                  uint64_t blocks) {
#if defined(__CUDA_ARCH__)
  while (v >> shift != blocks) v = static_cast<uint64_t>(load_relaxed<int64_t>(m, words, k));
#else
  static_cast<void>(m), static_cast<void>(words), static_cast<void>(k), static_cast<void>(shift),
      static_cast<void>(blocks);
#endif
  return v;
}

// Called by a block's first warp: lanes 2 i and 2 i + 1 have the low and high piece of the i-th
// total, lane 2 N has the flags.
template <int N, class M>
ONEFOLD_KERNEL Arrival arrive_pieces(M m, Out<M, int64_t> words, int64_t piece) {
  static_assert(N <= most_totals);
  constexpr int shift = 51;
  constexpr uint64_t one = uint64_t{1} << shift;
  constexpr int64_t bias = int64_t{1} << 36;
  const auto lane = static_cast<int>(m.lane());
  const unsigned blocks = m.blocks();
  const bool odd = lane % 2 != 0;
  auto v = static_cast<uint64_t>(piece + (odd ? bias : 0));
  if (blocks > 1) {
    if (lane <= 2 * N) {
      v += one;
      v += static_cast<uint64_t>(m.add(words, lane, static_cast<int64_t>(v)));
    }
    if (m.shuffle(static_cast<uint32_t>(v >> shift), 0) != blocks) return {};
    if (lane <= 2 * N) {
      v = when_full(m, words, lane, v, shift, blocks);
      m.add(words, lane, static_cast<int64_t>(0 - v));
    }
    v &= one - 1;
  }
  const auto flags = static_cast<int64_t>(m.shuffle(static_cast<uint32_t>(v), 2 * N)) |
                     static_cast<int64_t>(m.shuffle(static_cast<uint32_t>(v >> 32), 2 * N)) << 32;
  return {.last = true,
          .left = Arrival::tells_left(flags),
          .some = Arrival::tells_some(flags),
          .gave = Arrival::tells_gave(flags),
          .piece = static_cast<int64_t>(v) - (odd ? static_cast<int64_t>(blocks) * bias : 0)};
}
// The same for totals low + high * 2^44, 0 <= low, which both lanes of a total have; high of the
// flags is 0.
template <int N, class M>
ONEFOLD_KERNEL Arrival arrive(M m, Out<M, int64_t> words, int64_t low, int64_t high) {
  const auto lane = static_cast<int>(m.lane());
  const int64_t lower = lane == 2 * N ? low : low & 0xffffffff;
  return arrive_pieces<N>(m, words,
                          lane % 2 != 0 ? (low >> 32) + high * (int64_t{1} << 12) : lower);
}

}  // namespace onefold::kernel
