// Folds a contiguous array into one state, in one launch, or for floats in up to three. Each launch
// adds the tiles that the launch before it has listed (schedule/lists.hpp), and returns at once if
// there are none.
//
//   driver   a schedule gives chunks to warps, a feed adds them, an end combines totals and makes
//            answers. README.md has the contract of each; `whole` chooses them for a fold
//   grid     any number of blocks
//   results  rounded answers; or one slice's words, not canonical, in the order of the layout of
//            onefold/engine/plan/table.hpp
#pragma once

#include "onefold/cuda/kernel/end/counts.hpp"
#include "onefold/cuda/kernel/end/indexed_extremes.hpp"
#include "onefold/cuda/kernel/end/near.hpp"
#include "onefold/cuda/kernel/end/tickets.hpp"
#include "onefold/cuda/kernel/feed/feeds_of_parts.hpp"
#include "onefold/cuda/kernel/feed/feeds_of_tiles.hpp"
#include "onefold/cuda/kernel/feed/indexed_extremes.hpp"
#include "onefold/cuda/kernel/feed/near_sum.hpp"
#include "onefold/cuda/kernel/schedule/parts.hpp"
#include "onefold/cuda/kernel/schedule/tiles_in_turn.hpp"

namespace onefold::kernel {

// What every launch does: opens the feed, adds the chunks of the schedule and the remaining
// elements, and passes all threads' totals to the end, which makes the results.
template <class M, class Schedule, class Feed>
ONEFOLD_KERNEL void drive(M m, Schedule& schedule, Feed& feed) {
  feed.open(m, schedule);
  if constexpr (requires { feed.take_one(m, schedule); }) {
    feed.all = feed.take_one(m, schedule);
  } else {
    schedule.for_each(m, feed);
    feed.take_rest(m, schedule);
  }
}

// If enough warps have listed their tiles, a whole block lists all of its tiles before it reads
// anything; but not the block that has the elements outside of full tiles, nor one with a warp
// without a tile. Returns true if a later launch must fold the block's tiles.
template <class Feed, uint32_t set, int warps, class M, class Lists, class T, int U>
ONEFOLD_KERNEL bool gives_block_up(M m, const Lists& lists, const Input<M, T>& input,
                                   const Tiles<T, U>& tiles, const Workspace<M>& workspace,
                                   Size place) {
  auto told = shared<unsigned, 1, struct told_>(m);
  const auto t = static_cast<unsigned>(m.thread());
  const Size block = m.block();
  if (block * warps * 32 < tiles.ragged() || (block + 1) * warps > tiles.full) return false;
  if (t == 0) {
    const bool enough = lists.enough(m);
    if (enough) {
      if constexpr (Feed::All::has_extremes) {
        Rivals<T, set>().hand_over(m, workspace.rivals, static_cast<unsigned>(place));
      }
      lists.give_block(m);
    }
    told[0] = enough ? 1u : 0u;
  }
  m.sync();
  const unsigned enough = told[0];
  if (enough == 0) return false;
  if constexpr (Feed::All::arrives) {
    end_of_given<typename Feed::All::SumFeed>(m, typename Feed::Words(m, workspace), workspace,
                                              [&] { return Feed::first_anchor(m, input, tiles); });
  }
  return true;
}

// Launches over full tiles: the first of several, one over listed tiles, or the only one.
template <class T, uint32_t set, int U, int warps, OpSet ops, Stage stage, class M>
ONEFOLD_KERNEL void whole_tiles(M m, const Input<M, T>& input, const Workspace<M>& workspace,
                                const Results<M, ops>& results, const Stages& stages) {
  constexpr bool first = stage == Stage::first || takes_all(stage);
  constexpr auto has = [](Stage s) { return has_launch(dtype_of<T>, Accumulators(set), s); };
  constexpr bool by_ring = has_ring(dtype_of<T>, Accumulators(set), stage);
  using Lists = kernel::Lists<M, stage, stage == Stage::bins && has(Stage::wide)>;
  using Feed = FeedsOfTiles<M, T, set, U, warps, stage, Lists>;
  const Lists lists(workspace, stages);
  if constexpr (!first) {
    if (lists.all == 0) return;
  }
  const Size warp = Size{m.block()} * warps + static_cast<unsigned>(m.thread()) / 32,
             all_warps = Size{m.blocks()} * warps;
  const Size place = stages.before(stage) + m.block();
  const bool may_give_up = !takes_all(stage) && has(Stage::bins) && stages.followed(stage);
  const Tiles<T, U> tiles(input.n, m.misaligned(input.x, Tiles<T, U>::line));
  if constexpr (stage == Stage::first && has(Stage::bins)) {
    if (may_give_up && gives_block_up<Feed, set, warps>(m, lists, input, tiles, workspace, place)) {
      return;
    }
  }
  const TileLoader<M, T, U, Feed::two> loader(m, input, tiles);
  typename Feed::Deeper deeper;
  Feed feed(m, workspace, input, tiles, lists, deeper, may_give_up);
  bool gave = false;
  if constexpr (first) {
    TilesInTurn<M, T, U, Feed::two, by_ring, warps> schedule{
        .loader = loader, .i = warp, .step = all_warps};
    drive(m, schedule, feed);
    gave = schedule.gave;
  } else {
    constexpr bool shared = stage == Stage::bins && sizeof(T) < 8;
    TilesOfLists<M, T, U, Feed::two, by_ring, shared, warps, Lists> schedule{
        .loader = loader,
        .lists = lists,
        .stride = stages.stride(),
        .warp = warp,
        .all_warps = all_warps};
    drive(m, schedule, feed);
  }
  using All = typename Feed::All;
  if constexpr (All::arrives) {
    auto& sums = feed.all.counted_feed();
    const Beside beside{.left = sums.lifted_so_far != 0 || warp * 32 < tiles.ragged(),
                        .some = feed.all.some_not_negative_zero(),
                        .gave = gave};
    end_sums<T, set, warps, ops>(m, feed.words, workspace, results, sums, feed.anchor, beside,
                                 input.n);
  } else {
    feed.all.close(m, feed.words, workspace, place, deeper, feed.opened);
    end_tickets<T, set, U, warps, ops>(m, takes_all(stage) ? 0 : static_cast<int>(stage),
                                       stages.before(stage) + m.blocks(), input.n, input, tiles,
                                       workspace, results,
                                       [&] { return may_give_up && lists.something_given(m); });
  }
}

// Chooses the schedule, feed and end of a fold.
template <class T, uint32_t set, int U, int warps, OpSet ops, Stage stage = Stage::first, class M>
ONEFOLD_KERNEL void whole(M m, const Input<M, T>& input, const Workspace<M>& workspace,
                          const Results<M, ops>& results, const Stages& stages) {
  constexpr Accumulators in(set);
  // If a long row runs before this kernel, only one launch follows it: the one for all elements.
  if constexpr (takes_all(stage) || !has_launch(dtype_of<T>, in, Stage::single)) {
    if (stages.if_undecided && load_relaxed<uint32_t>(m, workspace.counters, undecided_row) == 0)
      return;
  }
  if constexpr (takes_all(stage) && stage != Stage::digits && is_near_sum(dtype_of<T>, in)) {
    const unsigned in_block = stage == Stage::small ? opaque(m.threads() / 32) : warps;
    PartsInTurn<M, T, U, stage, true> schedule(m, input.x, input.n, in_block);
    NearSum<M, T, set, U, warps, stage> feed(m, workspace, stages.at_once);
    using Totals = typename decltype(feed)::Totals;
    drive(m, schedule, feed);
    end_near<Totals, T, warps, ops>(m, feed.all, feed.anchor, input.n, in_block, workspace,
                                    results);
  } else if constexpr (stage == Stage::small && only_extremes(in)) {
    constexpr bool indices = ops == 0 || uses_index(ops);
    const unsigned in_block = opaque(m.threads() / 32);
    RepeatedParts<M, T, U, indices> schedule(m, input, in_block);
    IndexedExtremes<M, T, set, U, warps> feed;
    drive(m, schedule, feed);
    end_indexed_extremes<T, set, warps, ops>(m, feed, input.first, in_block, workspace, results);
  } else if constexpr (only_counts(dtype_of<T>, in)) {
    PartsInTurn<M, T, U, stage, false> schedule(m, input.x, input.n, warps);
    CountsOfParts<M, T, set, U, warps, stage> feed(m, workspace);
    drive(m, schedule, feed);
    const Size dealt = Size{schedule.parts.all} * 32 * Chunk<T, U>::elements;
    end_counts<T, set, warps, ops>(m, workspace, results, feed.all, input.n, dealt - input.n);
  } else if constexpr (Feeds<M, T, set, U, warps, stage>::counted) {
    PartsInTurn<M, T, U, stage, true> schedule(m, input.x, input.n, warps);
    FeedsOfParts<M, T, set, U, warps, stage> feed(m, workspace, stages);
    drive(m, schedule, feed);
    const Beside beside{
        .left = feed.left, .some = feed.all.some_not_negative_zero(), .gave = false};
    end_sums<T, set, warps, ops>(m, feed.words, workspace, results, feed.all.counted_feed(),
                                 feed.anchor, beside, input.n);
  } else {
    whole_tiles<T, set, U, warps, ops, stage>(m, input, workspace, results, stages);
  }
}

}  // namespace onefold::kernel
