// What feeds of windows (windows.hpp, half_windows.hpp) and digits (digit_windows.hpp) share: they
// move their anchor when a chunk does not fit it, and pass their sums on.
//
//   Feed   set_anchor(e) sets the anchor, stand() returns it; anchor_for(top) returns one above a
//          magnitude with these bits; `held`: elements since the last spill; `spilled`: whether
//          there was one. put_all(m, words, totals, e) adds the totals of a warp's lanes to the
//          words, unless the feed has a spill of its own.
//          Feeds of windows also have add_from(chunk, j), `additions`, `s` and `magics`
#pragma once

#include "onefold/cuda/kernel/end/totals.hpp"
#include "onefold/cuda/kernel/schedule/chunk.hpp"

namespace onefold::kernel {

// What to do with a chunk. yes: add it; moved: add it, below a new anchor; no: leave it to a later
// launch; partly: lift some of its elements first.
enum class Fit { yes, moved, no, partly };

template <class Feed, class Shape, class M, class T, uint32_t set, int U, int warps>
struct AnchorFeed {
  static constexpr int most_warps = 8;  // so a block's totals stay within 2^68 (arrivals.hpp)
  struct Totals {
    int64_t s[Shape::count];
  };

  // Read by end/sums.hpp: returns whether sums were added to the words.
  ONEFOLD_KERNEL bool touched() const { return self().spilled; }
  ONEFOLD_KERNEL bool stands_at(int e) const { return self().stand() == e; }
  ONEFOLD_KERNEL static int position(int i, int e) { return Shape::position(i, e); }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) { return Shape::accumulator(i); }
  // The unit of the sum of all windows, for feeds whose totals are one sum.
  ONEFOLD_KERNEL static int unit(int e) { return Shape::unit(Shape::count - 1, e); }

  ONEFOLD_KERNEL void move_to(M m, Words<M, T, set> words, int e) {
    self().spill(m, words);
    self().set_anchor(e);
  }
  // Moves the anchor for a chunk that does not fit the present one.
  //   top      the lane's largest magnitude; from `cap` on, it fits no anchor
  //   lacks    returns whether some element of the lane is too small for an anchor
  //   few      if more lanes than this have misfits, the chunk is not added
  template <class Lacks>
  ONEFOLD_KERNEL Fit fit_to(M m, Words<M, T, set> words, uint32_t top, uint32_t cap, Lacks lacks,
                            bool may_give_up, int few) {
    const uint32_t all = m.redux_max(top);
    if (all < cap) {
      const int e = Feed::anchor_for(all);
      const uint32_t lacking = m.ballot(lacks(e));
      if (lacking == 0) {
        move_to(m, words, e);
        return Fit::moved;
      }
      return may_give_up && m.count_bits(lacking) > few ? Fit::no : Fit::partly;
    }
    return may_give_up && m.count_bits(m.ballot(top >= cap)) > few ? Fit::no : Fit::partly;
  }

  // Adds a chunk that fits. rare: as a loop, for a chunk that need not be in registers.
  template <bool rare = false>
  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, const Chunk<T, U>& c) {
    constexpr int K = Chunk<T, U>::elements;
    if constexpr (rare) {
      ONEFOLD_NO_UNROLL
      for (int j = 0; j < K; j += Feed::additions) self().add_from(c, j);
    } else {
      ONEFOLD_UNROLL
      for (int j = 0; j < K; j += Feed::additions) self().add_from(c, j);
    }
    self().held += K;
    if (self().held + K > Feed::spill_elements) self().spill(m, words);
  }
  // Adds the lanes' sums to the words, and clears them.
  ONEFOLD_KERNEL void spill(M m, Words<M, T, set> words) {
    if (self().held == 0) return;
    self().spilled = true;
    Totals total;
    self().take_totals(total.s);
    Feed::put_all(m, words, total, self().stand());
  }
  // Returns the lane's sums, and clears them.
  ONEFOLD_KERNEL void take_totals(int64_t (&total)[Shape::count]) {
    take_windows(self().s, self().magics, self().held / Feed::additions, total);
    self().held = 0;
  }
  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    int64_t total[Shape::count];
    take_totals(total);
    block_totals<Shape::count, warps>(
        m, total, self().stand(),
        [&](int i, int e, int64_t low, int64_t high) { put(m, words, i, e, low, high); });
  }
  ONEFOLD_KERNEL_COLD static void put(M m, Words<M, T, set> words, int i, int e, int64_t low,
                                      int64_t high) {
    words.deposit(m, Shape::accumulator(i), low, Shape::position(i, e));
    words.deposit(m, Shape::accumulator(i), high, Shape::position(i, e) + 44);
  }

 private:
  ONEFOLD_KERNEL Feed& self() { return static_cast<Feed&>(*this); }
  ONEFOLD_KERNEL const Feed& self() const { return static_cast<const Feed&>(*this); }
};

}  // namespace onefold::kernel
