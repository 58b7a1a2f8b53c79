// Extremes of a launch over tiles, alone or beside other accumulators: blocks pass on their best
// elements (rivals.hpp), and the last block searches the tiles of the best elements for indices.
#pragma once

#include "onefold/cuda/kernel/end/first_in_tile.hpp"
#include "onefold/cuda/kernel/end/seen_extremes.hpp"

namespace onefold::kernel {

// Passes the block's best on to the last block of the last launch. Called by a block.
template <class T, uint32_t set, int warps, class M, class Extremes>
ONEFOLD_KERNEL void leave_extremes(M m, const Extremes& mine, const Workspace<M>& workspace,
                                   unsigned place) {
  Rivals<T, set> all(mine.least, mine.greatest, mine.first_nan);
  all.meet_lanes(m);
  all.template leave_in_block<warps>(m);
  m.sync();
  const auto t = static_cast<unsigned>(m.thread());
  if (t >= 32) return;
  all.template take_of_block<warps>(m, warps);
  if (t == 0) all.hand_over(m, workspace.rivals, place);
}
// Returns the best of all blocks, in all threads of the last block.
template <class T, uint32_t set, int warps, class M>
ONEFOLD_KERNEL Rivals<T, set> best_of_blocks(M m, const Workspace<M>& workspace, unsigned places) {
  Rivals<T, set> all;
  all.take_all(m, workspace.rivals, static_cast<unsigned>(m.thread()), m.threads(), places);
  all.meet_lanes(m);
  all.template leave_in_block<warps>(m);
  m.sync();
  all.template take_of_block<warps>(m, warps);
  return all;
}

// Returns the index of the first element with the key of `best`. Called by a block; valid in
// thread 0.
template <bool greatest, int warps, class T, int U, class M, class Input>
ONEFOLD_KERNEL Size index_of_best(M m, const Input& input, const Tiles<T, U>& tiles,
                                  const Rival<T>& best) {
  const uint32_t tile = best.stands_at();
  if (tile == no_tile) return none;
  const auto wanted = greatest ? static_cast<typename Rival<T>::Key>(~best.key()) : best.key();
  const uint32_t offset =
      first_in_tile<warps>(m, input, tiles, tile, [=](auto k) { return k == wanted; });
  return input.first + tiles.of(tile).begin + offset;
}

// Writes the words of a state. Called by the last block. indices: finds the best elements' indices
// in their tiles; otherwise index 0 stands for any.
template <bool indices, class T, uint32_t set, int U, int warps, class M, class Input>
ONEFOLD_KERNEL void put_extremes(M m, const Rivals<T, set>& best, const Input& input,
                                 const Tiles<T, U>& tiles, Shared<M, int64_t> state) {
  SeenExtremes<T> g{.least = best.least(),
                    .greatest = best.greatest(),
                    .least_index = best.least().some() ? 0 : none,
                    .greatest_index = best.greatest().some() ? 0 : none,
                    .nan_index = best.first_nan == no_tile ? none : 0,
                    .nan = {}};
  if constexpr (indices) {
    if constexpr (Rivals<T, set>::wants_least) {
      g.least_index = index_of_best<false, warps>(m, input, tiles, g.least);
    }
    if constexpr (Rivals<T, set>::wants_greatest) {
      g.greatest_index = index_of_best<true, warps>(m, input, tiles, g.greatest);
    }
    if (Floating<T> && best.first_nan != no_tile) {
      const auto nan = [](auto k) { return Keys<T>::nan(k); };
      g.nan_index = input.first + tiles.of(best.first_nan).begin +
                    first_in_tile<warps>(m, input, tiles, best.first_nan, nan);
    }
  }
  if (static_cast<unsigned>(m.thread()) == 0) g.template put_state<set>(state);
}

// Writes the answer of the only op if that is an extreme of the array's type, or its index. Returns
// false if general code must answer. Called by a block.
template <class T, uint32_t set, int U, int warps, OpSet ops, class M, class Input>
ONEFOLD_KERNEL bool put_extreme(M m, const Rivals<T, set>& all, const Input& input,
                                const Tiles<T, U>& tiles, const Results<M, ops>& results) {
  using Only = OnlyExtreme<ops>;
  if constexpr (Only::is_one) {
    const Rival<T>& best = Only::least ? all.least() : all.greatest();
    if (!Only::template answers<T>(best, all.first_nan != no_tile, results)) return false;
    Size index = 0;
    if constexpr (Only::index) {
      index = index_of_best<!Only::least, warps>(m, input, tiles, best);
    }
    if (static_cast<unsigned>(m.thread()) == 0) Only::put(m, best, index, results);
    return true;
  }
  return false;
}

}  // namespace onefold::kernel
