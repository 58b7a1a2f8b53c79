// Finds the first element of a tile that has a given key. Called by a block.
#pragma once

#include "onefold/cuda/kernel/feed/keys.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"

namespace onefold::kernel {

// Returns a thread's first wanted element, counted from the tile's beginning; no_tile if
// there is none. Several loads are in flight at once; those past the end repeat the last
// element.
template <class T, int U, class M, class Input, class Wanted>
ONEFOLD_KERNEL_COLD uint32_t mine_in_tile(M m, const Input& input, const Tiles<T, U>& tiles,
                                          uint32_t tile, Wanted wanted) {
  constexpr unsigned batch = 4;
  uint32_t found = no_tile;
  if (tile == no_tile) return found;
  const IndexRange range = tiles.of(tile);
  const auto n = static_cast<uint32_t>(range.end - range.begin);
  ONEFOLD_NO_UNROLL
  for (auto i = static_cast<uint32_t>(m.thread()); i < n; i += batch * m.threads()) {
    T x[batch];
    uint32_t at[batch];
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      at[j] = i + j * m.threads() < n ? i + j * m.threads() : n - 1;
      x[j] = input.x[range.begin + at[j]];
    }
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < batch; ++j) {
      if (at[j] < found && wanted(Keys<T>::of(x[j]))) found = at[j];
    }
  }
  return found;
}

// Returns the tile's first wanted element; valid in thread 0.
template <int warps, class T, int U, class M, class Input, class Wanted>
ONEFOLD_KERNEL uint32_t first_in_tile(M m, const Input& input, const Tiles<T, U>& tiles,
                                      uint32_t tile, Wanted wanted) {
  auto offsets = shared<uint32_t, warps, Wanted>(m);
  const auto t = static_cast<unsigned>(m.thread());
  const uint32_t mine = m.redux_min(mine_in_tile(m, input, tiles, tile, wanted));
  if (t % 32 == 0) offsets[t / 32] = mine;
  m.sync();
  uint32_t first = no_tile;
  if (t == 0) {
    ONEFOLD_NO_UNROLL
    for (unsigned w = 0; w < warps; ++w) {
      const uint32_t other = offsets[w];
      first = other < first ? other : first;
    }
  }
  return first;
}

}  // namespace onefold::kernel
