// The feeds of a launch over full tiles, and their handling of chunks that do not fit.
#pragma once

#include "onefold/cuda/kernel/end/sums.hpp"
#include "onefold/cuda/kernel/feed/feeds.hpp"
#include "onefold/cuda/kernel/schedule/sample.hpp"
#include "onefold/cuda/kernel/schedule/tiles_in_turn.hpp"

namespace onefold::kernel {

// The feeds of one lane. `Deeper` is passed by reference, so it is not among the registers.
template <class M, class T, uint32_t set, int U, int warps, Stage stage, class Lists>
struct FeedsOfTiles {
  using All = Feeds<M, T, set, U, warps, stage>;
  using Deeper = typename All::Deeper;
  using Words = kernel::Words<M, T, set>;
  static constexpr bool two = takes_two<T, set>();

  Words words;
  All all;
  int anchor = 0;
  bool may_give_up, opened = false;
  const Input<M, T>& input;
  const Tiles<T, U>& tiles;
  const Lists& lists;
  Deeper& deeper;

  ONEFOLD_KERNEL FeedsOfTiles(M m, const Workspace<M>& workspace, const Input<M, T>& in,
                              const Tiles<T, U>& all_tiles, const Lists& given, Deeper& d, bool may)
      : words(m, workspace),
        may_give_up(may),
        input(in),
        tiles(all_tiles),
        lists(given),
        deeper(d) {}

  // Returns the first anchor of all warps of a launch, if blocks pass on totals.
  ONEFOLD_KERNEL static int first_anchor(M m, const Input<M, T>& input, const Tiles<T, U>& tiles) {
    return All::SumFeed::anchor_above(
        most_of_sample<T>(m, input.x + tiles.head, input.n - tiles.head));
  }
  template <class Schedule>
  ONEFOLD_KERNEL void open(M m, const Schedule&) {
    all.open(m);
    if constexpr (All::arrives) {
      anchor = first_anchor(m, input, tiles);
      all.counted_feed().open_at(anchor);
    }
  }
  // Adds tile i. Returns false if a later launch must add it; then nothing has changed.
  template <class Loader>
  ONEFOLD_KERNEL bool take(M m, const Loader& loader, Size i, Chunk<T, U>& c, Chunk<T, U>& d) {
    const auto id = static_cast<uint32_t>(i + 1);
    const auto reach = all.reach(m, c);
    if constexpr (All::may_lack) {
      const bool may = All::has_deeper || All::goes_on || may_give_up;
      const auto fit = all.fit(m, words, c, d, reach, may);
      if (fit == Fit::moved) {
        // If registers are short, the chunk is loaded again, not kept while the anchor moves.
        if constexpr (All::has_extremes) loader.load(m, i, c, d);
      } else if (fit != Fit::yes) {
        bool added = false;
        if (fit == Fit::partly) {
          // The chunk is loaded again. If rare and common code shared its registers, they would be
          // moved about.
          Chunk<T, U> again, other;
          loader.load(m, i, again, other);
          added = all.add_partly(m, words, again, two ? other : again, id, may);
        }
        if constexpr (All::has_deeper) {
          if (!added) {
            Chunk<T, U> again, other;
            loader.load(m, i, again, other);
            all.add_deeper(m, words, again, id, deeper, opened);
          }
          return true;
        }
        if (!All::goes_on && !added && loader.lane == 0) lists.give(m, i);
        return added;
      }
    }
    all.add(m, words, c, d, reach, id);
    return true;
  }
  // Adds the tiles that the warp's windows have refused, by bins, and the elements outside of full
  // tiles.
  template <class Schedule>
  ONEFOLD_KERNEL void take_rest(M m, const Schedule& s) {
    if constexpr (stage == Stage::first || kernel::takes_all(stage)) {
      if constexpr (All::goes_on) {
        if (s.i < tiles.full) [[unlikely]]
          all.go_on(m, words, s.i, tiles.full, s.step,
                    [&](Size i, Chunk<T, U>& c, Chunk<T, U>& d) { s.loader.load(m, i, c, d); });
      }
      const Size warp = Size{m.block()} * warps + static_cast<unsigned>(m.thread()) / 32;
      take_ragged(m, warp, Size{m.blocks()} * warps);
    }
  }

 private:
  ONEFOLD_KERNEL void take_ragged(M m, Size warp, Size all_warps) {
    const Size ragged = tiles.ragged();
    const unsigned lane = static_cast<unsigned>(m.thread()) % 32;
    ONEFOLD_NO_UNROLL
    for (Size j = warp * 32 + lane; j < ragged; j += all_warps * 32) {
      const Size i = tiles.ragged_index(j);
      const T x = input.x[i];
      T y{};
      if constexpr (two) y = input.y[i];
      all.add(m, words, x, y, tiles.ragged_id(j));
    }
  }
};

}  // namespace onefold::kernel
