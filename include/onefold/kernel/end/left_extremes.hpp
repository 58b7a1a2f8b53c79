// Extremes that blocks store in memory (order keys, and the first tiles that have them) for the
// block that draws the last ticket (tickets.hpp).
#pragma once

#include "onefold/kernel/end/first_in_tile.hpp"
#include "onefold/kernel/feed/extremes.hpp"
#include "onefold/kernel/state.hpp"
#include "onefold/kernel/workspace.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct LeftExtremes {
  using All = Extremes<M, T, set, U, warps>;
  using Key = typename All::Key;
  static constexpr bool wants_least = All::wants_least, wants_greatest = All::wants_greatest;

  // Stores "no element". Called for a block that has seen none.
  ONEFOLD_KERNEL static void leave_none(const Workspace<M>& workspace, Size place) {
    const Size at = place * block_words;
    for (int k = 0; k < block_words; ++k) {
      workspace.blocks[at + static_cast<Size>(k)] = static_cast<int64_t>(no_tile);
    }
  }
  // Stores the block's best keys and tiles at `place` of `blocks`.
  ONEFOLD_KERNEL static void leave(M m, const All& mine, const Workspace<M>& workspace,
                                   Size place) {
    Best<Key> least = mine.least, greatest = mine.greatest;
    uint32_t first_nan = mine.first_nan;
    auto keys = shared<int64_t, 2 * warps, struct keys_>(m);
    auto tiles = shared<uint32_t, 3 * warps, struct tiles_>(m);
    const auto t = static_cast<unsigned>(m.thread());
    const unsigned lane = t % 32, warp = t / 32;
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) {
      if constexpr (wants_least) {
        const Key k = m.shuffle_xor(least.key, d);
        least.meet(k, m.shuffle_xor(least.tile, d));
      }
      if constexpr (wants_greatest) {
        const Key k = m.shuffle_xor(greatest.key, d);
        greatest.meet(k, m.shuffle_xor(greatest.tile, d));
      }
    }
    if constexpr (Floating<T>) first_nan = m.redux_min(first_nan);
    if (lane == 0) {
      keys[warp] = static_cast<int64_t>(least.key);
      keys[warps + warp] = static_cast<int64_t>(greatest.key);
      tiles[warp] = least.tile;
      tiles[warps + warp] = greatest.tile;
      tiles[2 * warps + warp] = first_nan;
    }
    m.sync();
    if (t == 0) {
      ONEFOLD_NO_UNROLL
      for (unsigned w = 1; w < warps; ++w) {
        const int64_t l = keys[w], g = keys[warps + w];
        least.meet(static_cast<Key>(l), tiles[w]);
        greatest.meet(static_cast<Key>(g), tiles[warps + w]);
        const uint32_t nan = tiles[2 * warps + w];
        first_nan = nan < first_nan ? nan : first_nan;
      }
      const Size at = place * block_words;
      workspace.blocks[at + least_key] = static_cast<int64_t>(least.key);
      workspace.blocks[at + least_tile] = static_cast<int64_t>(least.tile);
      workspace.blocks[at + greatest_key] = static_cast<int64_t>(greatest.key);
      workspace.blocks[at + greatest_tile] = static_cast<int64_t>(greatest.tile);
      workspace.blocks[at + nan_tile] = static_cast<int64_t>(first_nan);
    }
  }

  // The best of all blocks: order keys, and the first tiles that have them. All threads of the last
  // block hold the same.
  struct Found {
    Key low, high;
    uint32_t low_tile, high_tile, nan_tile;
  };
  // Reads the best of all blocks. Called by the last block, which has number `place`.
  ONEFOLD_KERNEL static Found best_of_blocks(M m, const Workspace<M>& workspace, Size place,
                                             Size places) {
    const Size at = place * block_words;
    if (places > 1) merge_blocks(m, workspace, place, places);
    const int64_t l = workspace.blocks[at + least_key], lt = workspace.blocks[at + least_tile],
                  g = workspace.blocks[at + greatest_key],
                  gt = workspace.blocks[at + greatest_tile], nan = workspace.blocks[at + nan_tile];
    return {.low = static_cast<Key>(l),
            .high = static_cast<Key>(~g),
            .low_tile = static_cast<uint32_t>(lt),
            .high_tile = static_cast<uint32_t>(gt),
            .nan_tile = static_cast<uint32_t>(nan)};
  }
  // Writes the words of a state. Called by the last block. indices: finds the best elements'
  // indices in their tiles; otherwise index 0 stands for any.
  template <bool indices, class Input>
  ONEFOLD_KERNEL static void finish(M m, const Found& found, const Input& input,
                                    const Tiles<T, U>& tiles, Out<M, int64_t> state) {
    using State = StateOf<T, set>;
    using Least = typename accumulator::least<T>::State;
    using Greatest = typename accumulator::greatest<T>::State;
    const auto t = static_cast<unsigned>(m.thread());
    uint32_t nan_offset = 0, low_offset = 0, high_offset = 0;
    if constexpr (indices) {
      if constexpr (Floating<T>) {
        nan_offset = first_in_tile<warps>(m, input, tiles, found.nan_tile,
                                          [](Key k) { return Keys<T>::nan(k); });
      }
      if constexpr (wants_least) {
        const Key low = found.low;
        low_offset =
            first_in_tile<warps>(m, input, tiles, found.low_tile, [=](Key k) { return k == low; });
      }
      if constexpr (wants_greatest) {
        const Key high = found.high;
        high_offset = first_in_tile<warps>(m, input, tiles, found.high_tile,
                                           [=](Key k) { return k == high; });
      }
    }
    if (t != 0) return;
    const auto index = [&](uint32_t tile, uint32_t offset) {
      if (tile == no_tile) return none;
      return indices ? input.first + tiles.of(tile).begin + offset : Size{0};
    };
    Size first_nan_index = none;
    if constexpr (Floating<T>) first_nan_index = index(found.nan_tile, nan_offset);
    const auto put = [&](Accumulator a, Size i, int64_t key) {
      state[State::offset(a)] = key;
      state[State::offset(a) + 1] = static_cast<int64_t>(i);
      state[State::offset(a) + 2] = static_cast<int64_t>(first_nan_index);
    };
    if constexpr (wants_least) {
      const Size i = index(found.low_tile, low_offset);
      put(Accumulator::least, i, i == none ? Least{}.key : Keys<T>::order_key_of(found.low));
    }
    if constexpr (wants_greatest) {
      const Size i = index(found.high_tile, high_offset);
      put(Accumulator::greatest, i, i == none ? Greatest{}.key : Keys<T>::order_key_of(found.high));
    }
  }

 private:
  // Stores the best of all blocks at `place`.
  ONEFOLD_KERNEL static void merge_blocks(M m, const Workspace<M>& workspace, Size place,
                                          Size places) {
    All all;
    all.open();
    // Reads several blocks at once; past the end it reads the last one again. One after another
    // they would take 30 us.
    constexpr unsigned batch = 4;
    const auto t = static_cast<unsigned>(m.thread());
    ONEFOLD_NO_UNROLL
    for (Size b = t; b < places; b += batch * m.threads()) {
      int64_t got[batch][block_words];
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        const Size wanted = b + j * m.threads(), last = places - 1;
        const Size at = (wanted < last ? wanted : last) * block_words;
        ONEFOLD_UNROLL
        for (int k = 0; k < block_words; ++k) {
          const bool needed = k == nan_tile                       ? Floating<T>
                              : k == least_key || k == least_tile ? wants_least
                                                                  : wants_greatest;
          got[j][k] = int64_t{no_tile};
          if (needed) got[j][k] = workspace.blocks[at + static_cast<Size>(k)];
        }
      }
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < batch; ++j) {
        all.least.meet(static_cast<Key>(got[j][least_key]),
                       static_cast<uint32_t>(got[j][least_tile]));
        all.greatest.meet(static_cast<Key>(got[j][greatest_key]),
                          static_cast<uint32_t>(got[j][greatest_tile]));
        const auto n = static_cast<uint32_t>(got[j][nan_tile]);
        all.first_nan = n < all.first_nan ? n : all.first_nan;
      }
    }
    // This block's own entry in `blocks` is written after all threads have read: `leave` waits for
    // them.
    leave(m, all, workspace, place);
    m.sync();
  }
};

}  // namespace onefold::kernel
