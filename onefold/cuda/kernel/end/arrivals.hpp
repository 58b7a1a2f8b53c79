// Passes the totals of blocks to the last block without a fence or a ticket. Blocks add to words
// that also count how many blocks have added.
//   word     high 13 bits: number of blocks that have added; other bits: the sum of their pieces
//   piece    a total v has two: v mod 2^32 in one word, (v >> 32) + 2^36 in the next
//   last     the block whose addition completes the first word's count. It waits until the counts
//            of the other words are complete, too
//   left     a block adds elements that fit no total to the workspace's words, by atomics and a
//            fence; one more word has a flag for that, and one for blocks that leave tiles to the
//            next launch
//   cost     one instruction adds all words, a lane for each: one round trip to the cache. Two
//            instructions take two round trips: the second waits for registers of the first
//   bound    8191 blocks, |v| <= 2^68
//   source   bench/results/gpu_whole.md, an H200: one round trip to the cache instead of three
#pragma once

#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

// What a block learns when it arrives; complete only in the first warp of the last block.
struct Arrival {
  bool last;
  bool left;      // some warp has added elements to the workspace's words
  bool some;      // some warp has seen a number other than -0
  bool gave;      // some warp leaves tiles to another launch
  int64_t piece;  // lanes 2 i and 2 i + 1: the sums of the i-th total's low and high pieces

  // Returns the flags that a warp adds to its totals.
  ONEFOLD_KERNEL static int64_t flags_of(bool left, bool some, bool gave = false) {
    return (gave ? int64_t{1} << 2 * flag : 0) + (left ? int64_t{1} << flag : 0) + (some ? 1 : 0);
  }
  ONEFOLD_KERNEL static bool tells_some(int64_t flags) { return flags % (1 << flag) != 0; }
  ONEFOLD_KERNEL static bool tells_left(int64_t flags) { return tells_some(flags >> flag); }
  ONEFOLD_KERNEL static bool tells_gave(int64_t flags) { return flags >> 2 * flag != 0; }
  static constexpr int flag = 17, most_warps = 16;  // a block has at most 16 warps
  static_assert(most_arrivals * most_warps < 1 << flag);
  // The sums of the i-th total's pieces; the total is low + high * 2^32.
  template <class M>
  ONEFOLD_KERNEL int64_t low(M m, unsigned i) const {
    return m.shuffle(piece, 2 * i);
  }
  template <class M>
  ONEFOLD_KERNEL int64_t high(M m, unsigned i) const {
    return m.shuffle(piece, 2 * i + 1);
  }
};

// Waits until all blocks have added to word k, whose last known value is v, and returns it. The
// simulated machine runs blocks one after another, so waiting there would never end.
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

// Adds a block's totals and flags to the words. Called by its first warp: lanes 2 i and 2 i + 1
// have the low and high pieces of the i-th total, and lane 2 N has the flags.
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
// Does the same for totals low + high * 2^44, 0 <= low. Lanes 2 i and 2 i + 1 both pass total i;
// the lane of the flags passes high = 0.
template <int N, class M>
ONEFOLD_KERNEL Arrival arrive(M m, Out<M, int64_t> words, int64_t low, int64_t high) {
  const auto lane = static_cast<int>(m.lane());
  const int64_t lower = lane == 2 * N ? low : low & 0xffffffff;
  return arrive_pieces<N>(m, words,
                          lane % 2 != 0 ? (low >> 32) + high * (int64_t{1} << 12) : lower);
}

}  // namespace onefold::kernel
