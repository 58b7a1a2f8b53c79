// The arguments of a launch: arrays, and memory that it shares with the other launches of a stream.
#pragma once

#include "onefold/cuda/kernel/stages.hpp"

namespace onefold::kernel {

// Copies of a state's words; with 16 of them, few blocks add to one address at the same time.
inline constexpr int replicas = 16;

// A block passes on a total as two words, and one more word for all; they are contiguous, so that
// one packet carries them to one slice of the cache.
inline constexpr int most_arrivals = 8191, most_totals = 8, arrival_words = 2 * most_totals + 1;

// Words by which a block passes on its extremes (end/rivals.hpp).
inline constexpr int most_rival_words = 5;

// The input of a launch.
template <class M, class T>
struct Input {
  In<M, T> x, y;  // y: only for accumulators of two arrays
  Size n = 0;
  Size first = 0;  // the first element's index
};

// Memory of a launch. Between folds all of it is zero, except `lists`.
template <class M>
struct Workspace {
  Out<M, uint32_t> counters;
  Out<M, int64_t> words;   // replicas of the words, then arrivals (arrivals.hpp)
  Out<M, int64_t> rivals;  // most_rival_words words for each block of any launch
  Out<M, uint32_t> lists;  // numbers of tiles that a later launch must add (schedule/lists.hpp)
};
// Returns word k of a state, summed over all replicas, and clears it in all of them. All loads
// precede the first store: one wait for memory instead of 16.
template <int words, class M>
ONEFOLD_KERNEL int64_t add_replicas(M m, Out<M, int64_t> replica, unsigned k) {
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
// Loads p[k], which other blocks may change at the same time, by a relaxed load.
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

// Counters: one of arrivals for each of the three launches; the lengths of the two lists of warps
// and of the list of blocks. The last word is never cleared: whether a long row is undecided.
enum : int { tickets, entries = 3, block_entries = 5, counters, undecided_row };

}  // namespace onefold::kernel
