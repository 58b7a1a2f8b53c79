// Passes blocks' best elements ("rivals") to the last block, by words other than 0 and no fence.
//
//   block    stores for each extreme one word, or two for 64 bits: the key's rank, the distance of
//            its element (or tile) from the last index, and whether a NaN was seen; if so, one
//            more word has the NaN's index
//   place    a block's number among the blocks of all launches of a fold
//   last     the block that draws the last ticket of the last launch. It waits until no word is 0,
//            and then sets all words to 0 again
//   bound    indices below 2^31 - 2
#pragma once

#include "onefold/cuda/kernel/answer/answers.hpp"
#include "onefold/cuda/kernel/feed/extremes.hpp"
#include "onefold/cuda/kernel/workspace.hpp"

namespace onefold::kernel {

// The best of some elements, as words that compare as unsigned numbers: greater means better.
template <class T>
struct Rival {
  using Key = typename Keys<T>::Key;
  static constexpr bool wide = sizeof(T) == 8;
  static constexpr int words = wide ? 2 : 1;
  static constexpr uint32_t top = (1u << 31) - 1, nan = 1;

  // place: 2 (top - index), or 2 if there is no index; plus 1 if a NaN was seen.
  uint32_t rank = 0, place = 2, low_rank = 0;

  ONEFOLD_KERNEL Rival() {}
  // Makes a rival of a Best, in which the smaller of two keys is the better one (feed/keys.hpp).
  ONEFOLD_KERNEL explicit Rival(const Best<Key>& best) {
    if (best.tile == no_tile) return;
    if constexpr (wide) {
      rank = static_cast<uint32_t>(static_cast<uint64_t>(best.key) >> 32) ^ 0x7fffffffu;
      low_rank = ~static_cast<uint32_t>(best.key);
    } else {
      rank = static_cast<uint32_t>(best.key) ^ 0x7fffffffu;
    }
    place = (top - best.tile) << 1;
  }
  ONEFOLD_KERNEL bool some() const { return place > 3; }
  ONEFOLD_KERNEL bool has_nan() const { return (place & nan) != 0; }
  ONEFOLD_KERNEL uint32_t stands_at() const { return some() ? top - (place >> 1) : no_tile; }
  ONEFOLD_KERNEL Key key() const {
    if constexpr (wide) {
      return static_cast<Key>(static_cast<uint64_t>(rank ^ 0x7fffffffu) << 32 | (low_rank ^ ~0u));
    } else {
      return static_cast<Key>(rank ^ 0x7fffffffu);
    }
  }
  ONEFOLD_KERNEL static bool tells_nan(int64_t word) { return (word & nan) != 0; }
  ONEFOLD_KERNEL uint64_t word(int k) const {
    return static_cast<uint64_t>(k == 0 ? rank : low_rank) << 32 | (k == 0 ? place : 1);
  }
  ONEFOLD_KERNEL void set(int k, uint64_t word) {
    if (k == 0) {
      rank = static_cast<uint32_t>(word >> 32);
      place = static_cast<uint32_t>(word);
    } else {
      low_rank = static_cast<uint32_t>(word >> 32);
    }
  }
  ONEFOLD_KERNEL void meet(const Rival& o) {
    const uint32_t either = (place | o.place) & nan;
    bool better = o.place > place;
    if constexpr (wide) better = o.low_rank > low_rank || (o.low_rank == low_rank && better);
    if (o.rank > rank || (o.rank == rank && better)) *this = o;
    place |= either;
  }
  // Returns the best of a warp's lanes, in all of them.
  template <class M>
  ONEFOLD_KERNEL void meet_lanes(M m) {
    const uint32_t top = m.redux_max(rank);
    bool mine = rank == top;
    if constexpr (wide) {
      const uint32_t low = m.redux_max(mine ? low_rank : 0);
      mine = mine && low_rank == low;
      low_rank = low;
    }
    const uint32_t either = m.any(has_nan()) ? nan : 0;
    place = m.redux_max(mine ? place : 2) | either;
    rank = top;
  }
};

// Stores p[k] = v while other blocks read it: a relaxed store. `was` is the value before.
template <class M>
ONEFOLD_KERNEL void store_relaxed(M m, Out<M, int64_t> p, unsigned k, int64_t v, int64_t was) {
#if defined(__CUDA_ARCH__)
  static_cast<void>(m), static_cast<void>(was);
  asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(p + k), "l"(v) : "memory");
#else
  m.add(p, k, v - was);
#endif
}
// Draws a block's ticket. Called by one thread. After the last ticket the counter is 0 for the next
// launch. Later loads need not wait until the ticket has come.
template <class M>
ONEFOLD_KERNEL uint32_t draw_ticket(M m, Out<M, uint32_t> counters) {
  const uint32_t blocks = m.blocks();
  uint32_t order;
#if defined(__CUDA_ARCH__)
  static_cast<void>(m);
  asm volatile("atom.relaxed.gpu.inc.u32 %0, [%1], %2;"
               : "=r"(order)
               : "l"(counters + tickets), "r"(blocks - 1)
               : "memory");
#else
  order = m.add(counters, tickets, 1u);
  if (order == blocks - 1) m.add(counters, tickets, 0 - blocks);
#endif
  return order;
}
// Returns the index at which a block saw its first NaN, and clears the word.
template <class M>
ONEFOLD_KERNEL_COLD uint32_t take_nan_slot(M m, Out<M, int64_t> slots, unsigned k) {
  auto v = load_relaxed<int64_t>(m, slots, static_cast<int>(k));
#if defined(__CUDA_ARCH__)
  while (v == 0) v = load_relaxed<int64_t>(m, slots, static_cast<int>(k));
#endif
  store_relaxed(m, slots, k, int64_t{0}, v);
  return static_cast<uint32_t>(v) - 1;
}

// The rivals of a set of accumulators, and the index of the first NaN.
template <class T, uint32_t set>
struct Rivals {
  using One = Rival<T>;
  static constexpr bool wants_least = Accumulators(set).has(Accumulator::least),
                        wants_greatest = Accumulators(set).has(Accumulator::greatest);
  static constexpr int sides = wants_least + wants_greatest;
  static constexpr unsigned words = sides * One::words, of_place = words + Floating<T>;

  One best[sides];
  uint32_t first_nan = no_tile;

  ONEFOLD_KERNEL Rivals() {}

  // Makes the rivals of one lane from its extremes and the tile of its first NaN.
  ONEFOLD_KERNEL Rivals(const Best<typename One::Key>& least,
                        const Best<typename One::Key>& greatest, uint32_t nan)
      : first_nan(nan) {
    if constexpr (wants_least) best[0] = One(least);
    if constexpr (wants_greatest) best[sides - 1] = One(greatest);
    if (Floating<T> && nan != no_tile) best[0].place |= One::nan;
  }
  ONEFOLD_KERNEL const One& least() const { return best[0]; }
  ONEFOLD_KERNEL const One& greatest() const { return best[sides - 1]; }

  ONEFOLD_KERNEL int64_t word(unsigned k) const {
    return static_cast<int64_t>(best[k / One::words].word(static_cast<int>(k % One::words)));
  }
  ONEFOLD_KERNEL void set_word(unsigned k, int64_t v) {
    best[k / One::words].set(static_cast<int>(k % One::words), static_cast<uint64_t>(v));
  }
  template <class M>
  ONEFOLD_KERNEL void meet_lanes(M m) {
    ONEFOLD_UNROLL
    for (int s = 0; s < sides; ++s) best[s].meet_lanes(m);
    if (Floating<T> && best[0].has_nan()) [[unlikely]]
      first_nan = m.redux_min(first_nan);
  }

  // Combines the warps of a block: each stores its best; after a barrier some warps read all of
  // them.
  template <int warps, class M>
  ONEFOLD_KERNEL void leave_in_block(M m) const {
    const auto t = static_cast<unsigned>(m.thread());
    if (t % 32 != 0) return;
    const auto p = places<warps>(m);
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < words; ++k) p.words[t / 32 * words + k] = word(k);
    if constexpr (Floating<T>) p.nan[t / 32] = first_nan;
  }
  template <int warps, class M>
  ONEFOLD_KERNEL void take_of_block(M m, unsigned in_block) {
    const auto p = places<warps>(m);
    const auto lane = static_cast<unsigned>(m.lane());
    const unsigned warp = lane < in_block ? lane : 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < words; ++k) {
      const int64_t v = p.words[warp * words + k];
      set_word(k, v);
    }
    if constexpr (Floating<T>) first_nan = p.nan[warp];
    meet_lanes(m);
  }

  // Passes the block's best to the last block. Called by one thread of a block.
  template <class M>
  ONEFOLD_KERNEL void hand_over(M m, Out<M, int64_t> slots, unsigned place) const {
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < words; ++k) {
      store_relaxed(m, slots, place * of_place + k, word(k), int64_t{0});
    }
    if (Floating<T> && best[0].has_nan()) [[unlikely]] {
      store_relaxed(m, slots, place * of_place + words, int64_t{first_nan} + 1, int64_t{0});
    }
  }
  // The words that a block has written, or 0 as long as it has not.
  struct PassedWords {
    int64_t words[Rivals::words];

    // Makes the words of an empty block: any key is better.
    ONEFOLD_KERNEL explicit PassedWords(int64_t word = One().word(0)) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < Rivals::words; ++k) words[k] = word;
    }
    template <class M>
    ONEFOLD_KERNEL void look(M m, Out<M, int64_t> slots, unsigned b) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < Rivals::words; ++k) {
        words[k] = load_relaxed<int64_t>(m, slots, static_cast<int>(b * of_place + k));
      }
    }
    ONEFOLD_KERNEL bool is_there() const {
      bool there = true;
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < Rivals::words; ++k) there = there && words[k] != 0;
      return there;
    }
  };
  // Reads what blocks b, b + step, .. have passed on, below `places`, and waits for each. Called in
  // the last block.
  template <unsigned at_once, class M>
  ONEFOLD_KERNEL void take(M m, Out<M, int64_t> slots, unsigned b, unsigned step, unsigned places,
                           PassedWords (&seen)[at_once]) {
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < at_once; ++j) {
      if (!seen[j].is_there()) seen[j].look(m, slots, b + j * step);
    }
    bool nan = false;
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < at_once; ++j) {
#if defined(__CUDA_ARCH__)  // not on the simulator: blocks run one after another there
      ONEFOLD_NO_UNROLL
      while (!seen[j].is_there()) seen[j].look(m, slots, b + j * step);
#endif
      ONEFOLD_UNROLL
      for (unsigned s = 0; s < sides; ++s) {
        One other;
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < One::words; ++k) {
          const int64_t v = seen[j].words[s * One::words + k];
          other.set(static_cast<int>(k), static_cast<uint64_t>(v));
        }
        nan = nan || other.has_nan();
        best[s].meet(other);
      }
    }
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < at_once; ++j) {
      if (b + j * step >= places) break;
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < words; ++k) {
        store_relaxed(m, slots, (b + j * step) * of_place + k, int64_t{0}, seen[j].words[k]);
      }
      if (Floating<T> && nan && One::tells_nan(seen[j].words[0])) [[unlikely]] {
        const uint32_t at = take_nan_slot(m, slots, (b + j * step) * of_place + words);
        first_nan = at < first_nan ? at : first_nan;
      }
    }
  }
  // Reads what all blocks have passed on. Called by threads 0 to step - 1, which read several
  // blocks at once; one after another would take 30 us.
  template <class M>
  ONEFOLD_KERNEL void take_all(M m, Out<M, int64_t> slots, unsigned thread, unsigned step,
                               unsigned places) {
    constexpr unsigned at_once = words == 4 ? 2 : 4;
    ONEFOLD_NO_UNROLL
    for (unsigned b = thread; b < places; b += at_once * step) {
      PassedWords seen[at_once];
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < at_once; ++j) {
        if (b + j * step < places) seen[j] = PassedWords(0);
      }
      take(m, slots, b, step, places, seen);
    }
  }

 private:
  template <class M>
  struct Places {
    Shared<M, int64_t> words;
    Shared<M, uint32_t> nan;
  };
  template <int warps, class M>
  ONEFOLD_KERNEL static Places<M> places(M m) {
    return {shared<int64_t, words * warps, struct rivals_>(m), shared < uint32_t,
            Floating<T> ? warps : 1, struct nan_of_rivals_ > (m)};
  }
};

}  // namespace onefold::kernel
