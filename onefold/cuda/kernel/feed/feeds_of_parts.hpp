// The feeds of a launch that adds all parts: bins of the same launch take the elements that windows
// cannot hold.
//
//   anchor   all warps of a launch read the same few elements, and begin with an anchor above them.
//            A warp whose data need another anchor adds its sums to the workspace's words
//   cost     no fence, no ticket, and one round trip to the cache, if all data fit the first anchor
#pragma once

#include "onefold/cuda/kernel/end/sums.hpp"
#include "onefold/cuda/kernel/feed/feeds.hpp"
#include "onefold/cuda/kernel/schedule/parts.hpp"
#include "onefold/cuda/kernel/schedule/sample.hpp"

namespace onefold::kernel {

// What a warp does after a part that does not fit the windows below their present anchor.
struct Misfit {
  enum Way : uint8_t { moves, is_done, goes_on };  // moves: new anchor; is_done; goes_on: use bins
  Way way;
  int anchor;
  int lifted;  // how many elements the warp has lifted so far
};
// Adds a part: lifts some elements, and adds the others to the words through separate windows. The
// part is loaded again, so that this rare code shares no registers with the common loop.
template <class Part, class T, uint32_t set, int U, class M, class Index>
ONEFOLD_KERNEL_COLD Misfit look_at_misfit(M m, Words<M, T, set> words, In<M, T> x,
                                          Parts<T, U, Index> parts, uint32_t i, int lifted) {
  Chunk<T, U> c = load_part(m, x, parts, i, static_cast<unsigned>(m.lane()));
  Part part;
  part.open(m);
  auto& feed = part.counted_feed();
  feed.lifted_so_far = lifted;
  const Fit fit = feed.fit(m, words, c, part.reach(m, c), true);
  if (fit == Fit::yes || fit == Fit::moved) return {Misfit::moves, feed.stand(), lifted};
  if (fit == Fit::no || !part.add_partly(m, words, c, c, 0, true))
    return {Misfit::goes_on, 0, lifted};
  part.leave(m, words);
  return {Misfit::is_done, 0, feed.lifted_so_far};
}
// Adds a warp's parts from i on by bins, `loads` loads at a time. Bins add as quickly as windows;
// only setting up and flushing take longer.
template <class T, uint32_t set, int U, int warps, int loads = U, bool by_integers = false, class M,
          class Index>
ONEFOLD_KERNEL_COLD void go_on_by_bins(M m, Words<M, T, set> words, In<M, T> x,
                                       Parts<T, U, Index> parts, uint32_t i, uint32_t step) {
  constexpr uint32_t of_part = U / loads;
  const Parts<T, loads, Index> pieces(parts);
  const auto first_of = [&](uint32_t part) {
    return part < parts.of_vectors ? part * of_part : pieces.of_vectors + (part - parts.of_vectors);
  };
  BinsOf<M, T, set, loads, warps, by_integers> bins;
  bins.open(m);
  uint32_t piece = first_of(i);
  ONEFOLD_NO_UNROLL
  while (piece < pieces.all) {
    Chunk<T, loads> c = load_part(m, x, pieces, piece, static_cast<unsigned>(m.lane()));
    if constexpr (sizeof(T) >= 4) {
      bins.clean(m, c, Reach<M, T, loads, false>::of(m, c));
    } else {
      bins.clean(m, c, Unused{});
    }
    bins.add(m, words, c);
    if ((piece + 1) % of_part != 0 && piece + 1 < pieces.of_vectors) {
      ++piece;
    } else {
      i += step;
      piece = first_of(i);
    }
  }
  bins.close(m, words);
  m.sync_warp();  // the next part's vectors may be another lane's
}

// The feeds of one lane.
template <class M, class T, uint32_t set, int U, int warps, Stage stage>
struct FeedsOfParts {
  using All = Feeds<M, T, set, U, warps, stage>;
  kernel::Words<M, T, set> words;
  All all;
  int anchor = 0;
  bool left = false;  // something was added to the workspace's words
  int lifted = 0;
  unsigned bin_warps;   // how many warps of a block have bins, if not all have
  uint32_t at_once;     // how many blocks the device can run at the same time
  uint32_t rest = ~0u;  // the first part that the warp adds by bins

  ONEFOLD_KERNEL FeedsOfParts(M m, const Workspace<M>& workspace, const Stages& stages)
      : words(m, workspace), bin_warps(stages.bin_warps), at_once(stages.at_once) {}

  template <class Schedule>
  ONEFOLD_KERNEL void open(M m, Schedule& s) {
    auto& feed = all.counted_feed();
    if constexpr (All::may_lack && stage == Stage::digits) {
      // A warp takes as long to set up and flush bins as for a few parts. If most data go to bins,
      // only as many blocks as the device runs at once take all parts.
      const bool one_of_these = m.block() < at_once;
      if (one_of_these) s.load(m);
      const auto a = feed.anchor_of(m, sample_of<T>(m, s.vectors(), s.beyond_head()));
      anchor = a.e;
      if (a.spread && at_once < m.blocks()) {
        s.step = at_once * (s.step / m.blocks());
        if (!one_of_these) s.i = s.parts.all;
      } else if (!one_of_these) {
        s.load(m);
      }
    } else {
      s.load(m);  // in flight together with the sample's loads
      if constexpr (All::may_lack) {
        anchor = feed.anchor_above(most_of_sample<T>(m, s.vectors(), s.beyond_head()));
      } else {
        anchor = feed.anchor_above(0);
      }
    }
    all.open(m);
    feed.open_at(anchor);
  }
  // Adds a part's chunk. Returns false if bins must add it and all later parts of the warp.
  template <class Schedule>
  ONEFOLD_KERNEL bool take(M m, const Schedule& s, Chunk<T, U>& c) {
    const auto reach = all.reach(m, c);
    bool add = true;
    if constexpr (All::may_lack) {
      auto& feed = all.counted_feed();
      if (!feed.fits(m, c, reach)) [[unlikely]] {
        const Misfit misfit = look_at_misfit<All>(m, words, s.x, s.parts, s.i, lifted);
        left = true;
        lifted = misfit.lifted;
        add = misfit.way == Misfit::moves;
        if (add) feed.move_to(m, words, misfit.anchor);
        if (misfit.way == Misfit::goes_on) {
          rest = s.i;
          return false;
        }
      }
    }
    if (add) [[likely]]
      all.add(m, words, c, c, reach, 0);
    return true;
  }
  // Adds the remaining parts by bins. If bins are large, only a few warps of a block have some;
  // these warps also take the parts of the others.
  template <class Schedule>
  ONEFOLD_KERNEL void take_rest(M m, const Schedule& s) {
    constexpr bool integers = stage == Stage::digits;
    if constexpr (All::may_lack && (sizeof(T) == 8 || integers)) {
      const auto t = static_cast<unsigned>(m.thread());
      auto rests = shared<uint32_t, warps, struct rests_>(m);
      if (t % 32 == 0) rests[t / 32] = rest;
      m.sync();
      if (t / 32 < bin_warps) {
        ONEFOLD_NO_UNROLL
        for (unsigned w = t / 32; w < warps; w += bin_warps) {
          const uint32_t from = rests[w];
          if (from < s.parts.all) {
            go_on_by_bins<T, set, U, warps, U, integers>(m, words, s.x, s.parts, from, s.step);
            left = true;
          }
        }
      }
    } else if constexpr (All::may_lack) {
      if (rest < s.parts.all) [[unlikely]]
        go_on_by_bins<T, set, U, warps>(m, words, s.x, s.parts, rest, s.step);
    }
    if constexpr (All::has_counts) {
      if (all.counts.leave(m, words)) left = true;
    }
  }
};

// Feeds for counts alone, which can take any element.
template <class M, class T, uint32_t set, int U, int warps, Stage stage>
struct CountsOfParts {
  Words<M, T, set> words;
  Feeds<M, T, set, U, warps, stage> all;

  ONEFOLD_KERNEL CountsOfParts(M m, const Workspace<M>& workspace) : words(m, workspace) {}
  template <class Schedule>
  ONEFOLD_KERNEL void open(M m, const Schedule&) {
    all.open(m);
  }
  template <class Schedule>
  ONEFOLD_KERNEL bool take(M m, const Schedule&, Chunk<T, U>& c) {
    all.add(m, words, c, c, {}, 0);
    return true;
  }
  template <class Schedule>
  ONEFOLD_KERNEL void take_rest(M, const Schedule&) {}
};

}  // namespace onefold::kernel
