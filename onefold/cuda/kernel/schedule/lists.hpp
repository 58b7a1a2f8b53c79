// Lists in global memory of the tiles that one launch leaves to the next.
//
//   entry    of a warp: the first tile that it has not added, which stands for all its later tiles,
//            too; of a block that adds nothing (Stages::enough): the block's number
//   lists    two of warps, written by the first and the second launch; one of blocks, written by
//            the first
//   once     a tile is checked before any element of it is added, so no element is added twice or
//            lost
#pragma once

#include "onefold/cuda/kernel/workspace.hpp"

namespace onefold::kernel {

// The lists of a launch at stage `stage`.
template <class M, Stage stage, bool after_wide>
struct Lists {
  static constexpr bool of_bins = stage == Stage::bins;
  static constexpr int to = stage == Stage::first ? 0 : 1;  // the list it writes
  static constexpr int from = after_wide ? 1 : 0;           // the list it reads

  Out<M, uint32_t> counters, lists;
  const Stages& stages;
  uint32_t of_warps = 0, all = 0;

  ONEFOLD_KERNEL Lists(const Workspace<M>& w, const Stages& s)
      : counters(w.counters), lists(w.lists), stages(s) {
    if constexpr (stage == Stage::wide || stage == Stage::bins) {
      of_warps = counters[entries + from];
      all = of_warps;
      if constexpr (from == 0) {
        const uint32_t blocks = counters[block_entries];
        all += blocks * stages.warps;
      }
    }
  }
  // Returns the first tile of entry k < all.
  ONEFOLD_KERNEL uint32_t first_tile(Size k) const {
    if (k < of_warps) return lists[from * Size{stages.stride()} + k];
    const auto i = static_cast<uint32_t>(k - of_warps);
    const uint32_t block = lists[2 * Size{stages.stride()} + i / stages.warps];
    return block * stages.warps + i % stages.warps;
  }
  // Adds an entry. Called by one lane of a warp that stops at this tile.
  ONEFOLD_KERNEL void give(M m, Size tile) const {
    const uint32_t k = m.add(counters, entries + to, 1u);
    lists[to * Size{stages.stride()} + k] = static_cast<uint32_t>(tile);
  }
  // Returns whether so many warps have entries that whole blocks should list all their tiles.
  // Called by one thread of the first launch.
  ONEFOLD_KERNEL bool enough(M m) const {
    return load_relaxed<uint32_t>(m, counters, entries) > stages.enough;
  }
  ONEFOLD_KERNEL void give_block(M m) const {
    const uint32_t k = m.add(counters, block_entries, 1u);
    lists[2 * Size{stages.stride()} + k] = m.block();
  }
  // Returns whether the next launch has work. Called by the block that arrived last. A plain load
  // might read an old value from the L1 cache.
  ONEFOLD_KERNEL bool something_given(M m) const {
    return load_relaxed<uint32_t>(m, counters, entries + to) != 0;
  }
};

}  // namespace onefold::kernel
