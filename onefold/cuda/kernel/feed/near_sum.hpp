// Sums of f32 or bf16, or of their magnitudes, in one launch of any size: one addition of f64 for
// each element, if the elements have similar exponents.
//
//   anchor   one for all warps, from a sample that all warps read (near_totals.hpp)
//   wider    data with more binades use two windows. If a part does not fit them, bins add it and
//            all later parts of the warp to the words. If not even the sample fits two windows,
//            only as many blocks as run at once take all parts: starting and flushing bins takes a
//            warp as long as a few parts
//   answer   the chip's conversion rounds a total of 64 bits; code out of line rounds other
//            totals
//   grid     any: warp w takes every part whose number is w modulo the number of warps
//   cost     on an H200; in brackets: by the windows of whole.hpp
//
//     share of a plain read, 4 GiB        N(0,1)         lognormal      random bits
//     f32                                 0.997 (0.990)  0.992 (0.978)  0.969 (0.953)
//     bf16                                0.986 (0.977)  0.977 (0.966)  0.874 (0.889)
//
//     microseconds, N(0,1)                2^22 elements  2^28 elements
//     f32                                 6.9 (8.1)      237 (243)
//     bf16                                               124 (143)
#pragma once

#include "onefold/cuda/kernel/feed/feeds_of_parts.hpp"
#include "onefold/cuda/kernel/feed/near_totals.hpp"

namespace onefold::kernel {

// Makes an anchor from the least key and the greatest magnitude of a sample.
template <class Totals, class T, class M>
ONEFOLD_KERNEL typename Totals::Anchor anchor_of_near(M m, const Vector16<uint32_t>& v) {
  uint32_t most = 0, least = ~0u;
  const auto look = [&](uint32_t w) {
    const uint32_t h = w & 0x7fffffffu, key = w * 2 - 1;
    most = h > most ? h : most;
    least = key < least ? key : least;
  };
  ONEFOLD_UNROLL
  for (int k = 0; k < 4; ++k) {
    if constexpr (sizeof(T) == 2) {
      look(v.v[k] << 16);
      look(v.v[k] & 0xffff0000u);
    } else {
      look(v.v[k]);
    }
  }
  if (most >= 0x7f800000u) most = 0;  // NaN and infinities give no anchor
  return Totals::anchor_above(m.redux_max(most), m.redux_min(least));
}

// The sums of one lane.
template <class M, class T, uint32_t set, int U, int warps, Stage stage>
struct NearSum {
  using Totals = NearTotals<T, set, stage>;
  static constexpr uint32_t most_taken = near_elements / Chunk<T, U>::elements;
  static_assert(near_elements * 32 * warps <= 1 << 21);  // so a block's sum is below 2^68

  Words<M, T, set> words;
  int anchor = 0;
  int64_t s = 0, s1 = 0;
  uint32_t taken = 0;
  bool some = false, lower = false, left = false;

  const Workspace<M>& workspace;
  uint32_t blocks_at_once;
  NearWarps all;  // the warp's totals, at the end

  ONEFOLD_KERNEL NearSum(M m, const Workspace<M>& w, uint32_t at_once)
      : words(m, w), workspace(w), blocks_at_once(at_once) {}

  template <class Schedule>
  ONEFOLD_KERNEL void open(M m, Schedule& s) {
    const bool at_once = Totals::small || m.block() < blocks_at_once;
    if (at_once) s.load(m);  // in flight together with the sample
    const auto a = anchor_of_near<Totals, T>(m, sample_of<T>(m, s.vectors(), s.beyond_head()));
    anchor = a.e;
    if constexpr (!Totals::small) {
      if (a.spread && blocks_at_once < m.blocks()) {
        s.step = blocks_at_once * (s.step / m.blocks());
        if (!at_once) s.i = s.parts.all;
      } else if (!at_once) {
        s.load(m);
      }
    }
  }
  // Adds a part's chunk. Returns false if bins must add it and all later parts of the warp.
  template <class Schedule>
  ONEFOLD_KERNEL bool take(M m, const Schedule&, const Chunk<T, U>& c) {
    if (taken == most_taken) [[unlikely]] {
      put_near<Totals>(m, words, anchor, s, s1);
      s = s1 = 0;
      taken = 0;
      left = true;
    }
    const NearReach reach = reach_of_near(m, c);
    const bool below = reach.most < Totals::limit_of(anchor);
    if (m.all(below & (reach.least >= Totals::floor_of(anchor, Totals::binades)))) [[likely]] {
      const NearPart v = add_near<Totals>(c, Totals::magic_of(0, anchor));
      s += v.sum;
      some = some | v.some;
    } else {
      if (!m.all(below & (reach.least >= Totals::floor_of(anchor, Totals::wider)))) return false;
      const NearWindows v = windows_of_near<Totals>(c, anchor);
      s += v.upper;
      s1 += v.lower;
      some = some | !only_negative_zeros(c);
      lower = true;
    }
    ++taken;
    return true;
  }
  template <class Schedule>
  ONEFOLD_KERNEL void take_rest(M m, const Schedule& schedule) {
    if (!schedule.all_taken()) [[unlikely]] {
      // With few elements, one load at a time: there is less code to compile.
      go_on_by_bins<T, set, U, warps, Totals::small ? 1 : U>(m, words, schedule.x, schedule.parts,
                                                             schedule.i, schedule.step);
      left = true;
    }
    all = {.upper = of_lanes(m, s), .lower = {}};
    if (lower) [[unlikely]]
      all.lower = of_lanes(m, s1);
    all.upper.said = (m.any(some) ? NearWarp::some : 0) | (lower ? NearWarp::lower : 0) |
                     (left ? NearWarp::left : 0);
  }
  // Adds a warp's parts; most likely there is one, and it fits. This code is short and in one
  // place; all other code is out of line.
  template <class Schedule>
  ONEFOLD_KERNEL NearWarps take_one(M m, const Schedule& schedule) const
      requires(stage == Stage::small) {
    const auto& parts = schedule.parts;
    if (schedule.all_taken()) return {};
    const NearReach reach = reach_of_near(m, schedule.c);
    // All conditions at once: a branch would take as long as all of them.
    if (!m.all((reach.most < Totals::limit_of(anchor)) &
               (reach.least >= Totals::floor_of(anchor, Totals::binades)) &
               (schedule.step >= parts.all - schedule.i))) [[unlikely]] {
      return take_all<Schedule>(m, workspace, schedule.x, schedule.n, schedule.i, schedule.step,
                                anchor);
    }
    const NearPart v = add_near<Totals>(schedule.c, Totals::magic_of(0, anchor));
    NearWarps all{.upper = of_lanes(m, v.sum), .lower = {}};
    all.upper.said = m.any(v.some) ? NearWarp::some : 0;
    return all;
  }

 private:
  template <class Schedule>
  ONEFOLD_KERNEL_COLD static NearWarps take_all(M m, Workspace<M> workspace, In<M, T> x, Size n,
                                                uint32_t i, uint32_t step, int anchor) {
    Schedule schedule(m, x, n, 1);
    schedule.i = i;
    schedule.step = step;
    schedule.load(m);
    NearSum feed(m, workspace, ~0u);
    feed.anchor = anchor;
    schedule.for_each(m, feed);
    feed.take_rest(m, schedule);
    return feed.all;
  }
};

}  // namespace onefold::kernel
