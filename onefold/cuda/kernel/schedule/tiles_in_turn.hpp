// Schedules of a warp's full tiles: with a fixed stride, or from lists (lists.hpp), loaded by plain
// loads or through a ring (ring.hpp). A feed gets a tile's number and the lane's chunks of it,
// until the feed gives up; then tile i is the first one not added.
#pragma once

#include "onefold/cuda/kernel/schedule/lists.hpp"
#include "onefold/cuda/kernel/schedule/parts.hpp"
#include "onefold/cuda/kernel/schedule/ring.hpp"
#include "onefold/cuda/kernel/schedule/second_array.hpp"

namespace onefold::kernel {

// Loads a warp's tiles of one or two arrays, from the first full tile on.
template <class M, class T, int U, bool two>
struct TileLoader {
  In<M, T> body, other;
  Size full;
  unsigned lane, shift;  // shift: bytes from a multiple of 16 to `other`

  ONEFOLD_KERNEL TileLoader(M m, const Input<M, T>& input, const Tiles<T, U>& tiles)
      : body(input.x + tiles.head),
        other(input.y),
        full(tiles.full),
        lane(static_cast<unsigned>(m.thread()) % 32) {
    if constexpr (two) other = input.y + tiles.head;
    shift = two ? m.misaligned(other, 16) : 0;
  }
  ONEFOLD_KERNEL void load(M m, Size i, Chunk<T, U>& c, Chunk<T, U>& d) const {
    c = load_chunk<T, U>(m, body, i, lane);
    if constexpr (two) d = load_other_chunk<T, U>(m, other, i, full, lane, shift);
  }
};

// Passes a warp's tiles to `take`, in the order of `tile`, through a ring. Returns true if `take`
// refused one.
template <int warps, class M, class T, int U, bool two, class Turn, class Take>
ONEFOLD_KERNEL bool take_by_ring(M m, const TileLoader<M, T, U, two>& loader, Turn tile,
                                 Chunk<T, U>& c, Chunk<T, U>& d, Take take) {
  // If the second array is not aligned like the first, whole vectors are copied anyway, except for
  // its first and last tile, whose vectors would reach outside of it.
  In<M, T> second = loader.other;
  const unsigned shift = loader.shift;
  if constexpr (two) second = loader.other + -static_cast<int>(shift / sizeof(T));
  const auto whole = [&](Size i) { return shift == 0 || (i != 0 && i + 1 != loader.full); };
  Ring<M, T, U, warps, two ? 2 : 1> ring(m, loader.body, second);
  const auto bring = [&](Size i) {
    if (i < loader.full) {
      ring.bring(m, 0, loader.body, i);
      if (two && whole(i)) {
        ring.bring(m, 1, second, i);
        if (shift != 0) ring.bring_beyond(m, 1, second, i);
      }
    }
    ring.brought(m);
  };
  bring(tile.now);
  bring(tile.then());
  ONEFOLD_NO_UNROLL
  for (; tile.now < loader.full; tile.move()) {
    ring.wait(m);
    c = ring.take(0);
    if constexpr (two) {
      if (!whole(tile.now)) [[unlikely]] {
        d = load_by_element<T, U>(m, loader.other, tile.now, loader.lane);
      } else {
        d = ring.take(1);
        if (shift != 0) shift_chunk(m, d, ring.take_beyond(m, 1), loader.lane, shift);
      }
    }
    bring(tile.after());
    if (!take(tile.now, c, d)) break;
  }
  return tile.now < loader.full;
}

// The schedule of the first launch: warp w takes tiles w, w + blocks x warps, ..
template <class M, class T, int U, bool two, bool by_ring, int warps>
struct TilesInTurn {
  TileLoader<M, T, U, two> loader;
  Size i, step;
  bool gave = false;

  template <class Feed>
  ONEFOLD_KERNEL void for_each(M m, Feed& feed) {
    Chunk<T, U> c{}, d{};
    const auto take = [&](Size tile, Chunk<T, U>& x, Chunk<T, U>& y) {
      return feed.take(m, loader, tile, x, y);
    };
    if constexpr (by_ring) {
      gave = take_by_ring<warps>(m, loader, Strided{i, step}, c, d, take);
    } else {
      ONEFOLD_NO_UNROLL
      for (; i < loader.full; i += step) {
        loader.load(m, i, c, d);
        if (!take(i, c, d)) break;
      }
      gave = i < loader.full;
    }
  }
};

// The schedule of a later launch: the ranges of tiles that a list names by their first tiles.
//   shared  if ranges are few, 2^share warps divide each: var of 0.25 GiB of random f32 takes
//           158 us instead of 215; f64 loses 1 %. (The wide launch lists ranges as they are, and
//           one warp lists each of them as one.)
//   ahead   the next tile is loaded while one is added, for kernels of which few warps fit
template <class M, class T, int U, bool two, bool by_ring, bool shared, int warps, class Lists>
struct TilesOfLists {
  static constexpr bool ahead = !by_ring && Lists::of_bins && sizeof(T) == 8 && !two;
  TileLoader<M, T, U, two> loader;
  const Lists& lists;
  uint32_t stride;
  Size warp, all_warps;
  bool gave = false;

  template <class Feed>
  ONEFOLD_KERNEL void for_each(M m, Feed& feed) {
    Chunk<T, U> c{}, d{};
    const auto take = [&](Size tile, Chunk<T, U>& x, Chunk<T, U>& y) {
      return feed.take(m, loader, tile, x, y);
    };
    const Size full = loader.full;
    int share = 0;
    if constexpr (shared) {
      while (share < 10 && lists.all << share <= 2 * all_warps) ++share;
    }
    const auto step = [&] { return Size{stride} << share; };
    auto k = static_cast<IndexOf<shared>>(warp);
    Size i = full, then = full;
    // The next range is read before this one ends.
    const auto skip = [&] {
      i = then;
      then = full;
      if constexpr (shared) {
        for (; k < lists.all << share && then >= full; k += static_cast<uint32_t>(all_warps)) {
          const uint32_t part = k & ((1u << share) - 1);
          then = lists.first_tile(k >> share) + Size{part} * stride;
        }
      } else {
        if (k < lists.all) then = lists.first_tile(k);
        k += all_warps;
      }
    };
    skip();
    skip();
    if constexpr (by_ring) {
      take_by_ring<warps>(m, loader, RingEntry{[&] {
                            const Size now = i;
                            i += step();
                            if (i >= full) skip();
                            return now;
                          }},
                          c, d, take);
    } else {
      if (ahead && i < full) loader.load(m, i, c, d);
      ONEFOLD_NO_UNROLL
      while (i < full) {
        if constexpr (ahead) {
          const Size now = i;
          i += step();
          if (i >= full) skip();
          Chunk<T, U> loaded = c;
          if (i < full) loader.load(m, i, c, d);
          take(now, loaded, d);
        } else {
          loader.load(m, i, c, d);
          const bool taken = take(i, c, d);
          i += step();
          if (!taken || i >= full) skip();
        }
      }
    }
  }
};

}  // namespace onefold::kernel
