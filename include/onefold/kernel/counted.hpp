// Folds of one launch whose sums stand in a few totals, which blocks hand over (end_sums.hpp).
//
//   anchor   all warps of a launch look at the same few elements, and begin with an anchor above
//            them; a warp whose data want another one leaves its sums in the workspace's words
//   cost     of tame data no fence, no ticket, and one way to the cache and back
#pragma once

#include "onefold/kernel/end_sums.hpp"
#include "onefold/kernel/lists.hpp"
#include "onefold/kernel/sample.hpp"
#include "onefold/kernel/thread/thread.hpp"
#include "onefold/kernel/tiles.hpp"

namespace onefold::kernel {

// Part i of an array.
template <class T, int U, class M, class Index>
ONEFOLD_KERNEL Chunk<T, U> load_part(M m, In<M, T> x, const Parts<T, U, Index>& parts, uint32_t i,
                                     unsigned lane) {
  if (i < parts.full) [[likely]]
    return load_chunk<T, U>(m, x + parts.head, Index{i}, lane);
  return load_last<T, U>(m, x, parts, i, lane);
}

// What becomes of a part that does not fit windows as they stand.
struct Misfit {
  enum Way : uint8_t { moves, is_done, goes_on };  // to another anchor; by itself; by bins
  Way way;
  int anchor;
  int lifted;  // elements of the warp so far
};
// Some elements are lifted, and the others go to the words through windows of their own. The part
// is loaded again, and nothing is shared with what is common.
template <class Part, class T, uint32_t set, int U, class M, class Index>
ONEFOLD_KERNEL_COLD Misfit look_at_misfit(M m, Words<M, T, set> words, In<M, T> x,
                                          Parts<T, U, Index> parts, uint32_t i, int lifted) {
  Chunk<T, U> c = load_part(m, x, parts, i, static_cast<unsigned>(m.lane()));
  Part part;
  part.open(m);
  auto& feed = part.counted_feed();
  feed.lifted_so_far = lifted;
  using Fit = typename Part::SumFeed::Fit;
  const Fit fit = feed.fit(m, words, c, part.reach(m, c), true);
  if (fit == Fit::yes || fit == Fit::moved) return {Misfit::moves, feed.stand(), lifted};
  if (fit == Fit::no || !part.add_partly(m, words, c, c, 0, true))
    return {Misfit::goes_on, 0, lifted};
  part.leave(m, words);
  return {Misfit::is_done, 0, feed.lifted_so_far};
}
// A warp's parts from i on, in pieces of so many loads. Bins are as quick as windows, but for their
// beginning and end.
template <class T, uint32_t set, int U, int warps, int loads = U, class M, class Index>
ONEFOLD_KERNEL_COLD void go_on_by_bins(M m, Words<M, T, set> words, In<M, T> x,
                                       Parts<T, U, Index> parts, uint32_t i, uint32_t step) {
  constexpr uint32_t of_part = U / loads;
  const Parts<T, loads, Index> pieces(parts);
  const auto first_of = [&](uint32_t part) {
    return part < parts.of_vectors ? part * of_part : pieces.of_vectors + (part - parts.of_vectors);
  };
  typename RealsAt<M, T, set, loads, warps, Stage::bins>::type bins;
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
  m.sync_warp();  // others' parts may be next
}

namespace detail {
template <bool few>
struct IndexOf {
  using type = Size;
};
template <>
struct IndexOf<true> {
  using type = uint32_t;
};
}  // namespace detail

// A launch that folds all of it.
template <class T, uint32_t set, int U, int warps, uint32_t ops, Stage stage, class M>
ONEFOLD_KERNEL void counted(M m, In<M, T> x, Size n, const Workspace<M>& workspace,
                            const Results<M, ops>& results, const Stages& stages) {
  using Part = Thread<M, T, set, U, warps, stage>;
  const auto t = static_cast<unsigned>(m.thread());
  const unsigned lane = t % 32;
  using Index = typename detail::IndexOf<stage == Stage::small>::type;
  const Parts<T, U, Index> parts(static_cast<Index>(n), m.misaligned(x, 16));
  uint32_t i = m.block() * warps + t / 32;
  const uint32_t step = m.blocks() * warps;
  Chunk<T, U> c{};
  if (i < parts.all) c = load_part(m, x, parts, i, lane);  // and, meanwhile, the sample
  const Words<M, T, set> words(m, workspace);
  Part thread;
  auto& feed = thread.counted_feed();
  int anchor = 0;
  if constexpr (Part::may_lack) {
    anchor =
        feed.anchor_above(most_of_sample<T>(m, x + parts.head, static_cast<Index>(n) - parts.head));
  }
  if constexpr (!Part::may_lack) anchor = feed.anchor_above(0);
  thread.open(m);
  feed.open_at(anchor);
  bool left = false;
  [[maybe_unused]] int lifted = 0;
  [[maybe_unused]] uint32_t rest = parts.all;  // where bins go on
  ONEFOLD_NO_UNROLL
  while (i < parts.all) {
    const auto reach = thread.reach(m, c);
    bool add = true;
    if constexpr (Part::may_lack) {
      if (!feed.fits(m, c, reach)) [[unlikely]] {
        const Misfit misfit = look_at_misfit<Part>(m, words, x, parts, i, lifted);
        left = true;
        lifted = misfit.lifted;
        add = misfit.way == Misfit::moves;
        if (add) feed.move_to(m, words, misfit.anchor);
        if (misfit.way == Misfit::goes_on) {
          rest = i;
          break;
        }
      }
    }
    if (add) [[likely]]
      thread.add(m, words, c, c, reach, 0);
    i += step;
    if (i < parts.all) c = load_part(m, x, parts, i, lane);
  }
  if constexpr (Part::may_lack && sizeof(T) == 8) {
    // Bins are large: few warps have some, and take what the others leave.
    auto rests = shared<uint32_t, warps, struct rests_>(m);
    if (lane == 0) rests[t / 32] = rest;
    m.sync();
    if (t / 32 < stages.bin_warps) {
      ONEFOLD_NO_UNROLL
      for (unsigned w = t / 32; w < warps; w += stages.bin_warps) {
        const uint32_t from = rests[w];
        if (from < parts.all) {
          go_on_by_bins<T, set, U, warps>(m, words, x, parts, from, step);
          left = true;
        }
      }
    }
  } else if constexpr (Part::may_lack) {
    if (rest < parts.all) [[unlikely]]
      go_on_by_bins<T, set, U, warps>(m, words, x, parts, rest, step);
  }
  if constexpr (Part::has_counts) {
    if (thread.counts.leave(m, words)) left = true;
  }
  const Beside beside{.left = left, .some = thread.some_not_negative_zero(), .gave = false};
  end_sums<T, set, warps, ops>(m, words, workspace, results, feed, anchor, beside, n);
}

}  // namespace onefold::kernel
