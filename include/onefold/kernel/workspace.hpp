// The arguments of a launch: arrays, and memory that it shares with the other launches of a stream.
#pragma once

#include "onefold/kernel/stages.hpp"

namespace onefold::kernel {

// Blocks add to one of these many copies of the words, so that few meet at one address.
inline constexpr int replicas = 16;

// Totals that blocks hand over, two words each and one more: neighbours, for one packet takes them
// to one slice of the cache, and there is nothing left to wait for.
inline constexpr int most_arrivals = 8191, most_totals = 8, arrival_words = 2 * most_totals + 1;

// Words that a block hands over of extremes (rivals.hpp).
inline constexpr int most_rival_words = 5;

// The words in which a block stores its extremes: keys, and the first tiles that have them.
enum : int { least_key, least_tile, greatest_key, greatest_tile, nan_tile, block_words };

// The input of a launch.
template <class M, class T>
struct Input {
  In<M, T> x, y;  // y: only where an accumulator takes two
  Size n = 0;
  Size first = 0;  // the index of the first element
};

// Between launches all of it is zero, but for `blocks`, `lists` and `state`, which need not be.
template <class M>
struct Workspace {
  Out<M, uint32_t> counters;
  Out<M, int64_t> words;   // replicas x words, then arrivals (arrivals.hpp); or rivals
  Out<M, int64_t> blocks;  // block_words a block of any launch
  Out<M, uint32_t> lists;  // of what was given up (lists.hpp)
};
// p[k], which others add to meanwhile: a relaxed load.
template <class T, class M>
ONEFOLD_KERNEL T load_relaxed(M m, Out<M, T> p, int k) {
#if defined(__CUDA_ARCH__)
  static_cast<void>(m);
  T v;
  if constexpr (sizeof(T) == 8) {
    asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(v) : "l"(p + k));
  } else {
    asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(v) : "l"(p + k));
  }
  return v;
#else
  return m.add(p, k, T{0});
#endif
}

// Counters: the ticket of each launch; the numbers of entries of the two lists of warps and of the
// list of blocks.
enum : int { tickets, entries = 3, block_entries = 5, counters };

}  // namespace onefold::kernel
