// The least and the greatest element and where they first stand, by value first: a lane keeps the
// best key and the tile where it first stood. The finisher looks for the index in that one tile.
//
//   NaN      is neither; the first tile that holds one is kept
//   cost     f32: one instruction an element and extreme; 8 and 16 bits: one for two, by halves
#pragma once

#include "onefold/kernel/packed.hpp"
#include "onefold/kernel/thread/first_in_tile.hpp"
#include "onefold/kernel/thread/keys.hpp"
#include "onefold/kernel/thread/reach.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct Extremes {
  using Key = typename Keys<T>::Key;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr bool wants_least = Accumulators(set).has(Accumulator::least),
                        wants_greatest = Accumulators(set).has(Accumulator::greatest);

  Best<Key> least, greatest;  // of greatest the keys are flipped: ~key
  uint32_t first_nan;
  // f32 and f64: a chunk is looked at where it reaches beyond the warp's best, as Reach has them.
  // NaN: none yet.
  float bound_low, bound_high;

  ONEFOLD_KERNEL void open(M) { open(); }
  ONEFOLD_KERNEL void open() {
    least = greatest = {0, no_tile};
    first_nan = no_tile;
    bound_low = bound_high = bit_cast<float>(0x7fffffffu);
  }

  template <class Reach>
  ONEFOLD_KERNEL void add(M m, const Chunk<T, U>& c, const Reach& reach, uint32_t tile) {
    if (beyond(m, reach)) look<false>(m, c, reach, tile);
  }
  // Whether a chunk has to be looked at.
  template <class Reach>
  ONEFOLD_KERNEL bool beyond(M m, const Reach& reach) const {
    if constexpr (Floating<T> && sizeof(T) >= 4) {
      return m.any((wants_least && !(reach.low > bound_low)) ||
                   (wants_greatest && !(reach.high < bound_high)));
    } else {
      return true;
    }
  }
  // finite: there is no NaN.
  template <bool finite, class Reach>
  ONEFOLD_KERNEL void look(M m, const Chunk<T, U>& c, const Reach& reach, uint32_t tile) {
    meet_chunk<finite>(m, c, reach, tile);
    if constexpr (Floating<T> && sizeof(T) >= 4) {
      if constexpr (wants_least) bound_low = bound_of(m, least, 0);
      if constexpr (wants_greatest) bound_high = bound_of(m, greatest, ~0);
    }
  }
  // A tile's chunk. finite: there is no NaN.
  template <bool finite, class Reach>
  ONEFOLD_KERNEL void meet_chunk(M m, const Chunk<T, U>& c, const Reach& reach, uint32_t tile) {
    if constexpr (dtype_of<T> == DType::f32) {
      float low = wants_least ? reach.low : reach.high, high = wants_greatest ? reach.high : low;
      if (!finite && (low != low || high != high)) {
        low = high = c.element(0);
        ONEFOLD_UNROLL
        for (int k = 1; k < K; ++k) {
          if constexpr (wants_least) low = m.min(low, c.element(k));
          if constexpr (wants_greatest) high = m.max(high, c.element(k));
        }
        if constexpr (!wants_least) low = high;
        if constexpr (!wants_greatest) high = low;
        if (tile < first_nan) first_nan = tile;
        if (low != low || high != high) return;
      }
      meet(Keys<T>::of(low), Keys<T>::of(high), tile);
    } else if constexpr (sizeof(T) == 2 && Floating<T>) {
      add_float_halves(m, c, tile);
    } else if constexpr (sizeof(T) <= 2) {
      add_packed(m, c, tile);
    } else {
      Key low = Keys<T>::of(c.element(0)), high = low;
      ONEFOLD_UNROLL
      for (int k = 1; k < K; ++k) {
        const Key key = Keys<T>::of(c.element(k));
        if constexpr (wants_least || Floating<T>) low = key < low ? key : low;
        if constexpr (wants_greatest || Floating<T>) high = key > high ? key : high;
      }
      if (!finite && (Keys<T>::nan(low) || Keys<T>::nan(high))) {
        add_any(m, c, tile);
      } else {
        meet(low, high, tile);
      }
    }
  }

  // A chunk that may hold NaN.
  ONEFOLD_KERNEL void add_any(M, const Chunk<T, U>& c, uint32_t tile) {
    const Numbers numbers = without_nan(c);
    if (numbers.nan && tile < first_nan) first_nan = tile;
    if (numbers.some) meet(numbers.low, numbers.high, tile);
  }
  // One element of a tile.
  ONEFOLD_KERNEL void add(M, T x, uint32_t tile) {
    const Key key = Keys<T>::of(x);
    if (!Keys<T>::nan(key)) {
      meet(key, key, tile);
    } else if (tile < first_nan) {
      first_nan = tile;
    }
  }

  // Of a block that has seen nothing.
  ONEFOLD_KERNEL static void leave_none(const Workspace<M>& workspace, Size place) {
    const Size at = place * block_words;
    for (int k = 0; k < block_words; ++k) {
      workspace.blocks[at + static_cast<Size>(k)] = static_cast<int64_t>(no_tile);
    }
  }
  // Leaves the block's best at `place` in `blocks`.
  ONEFOLD_KERNEL void close(M m, const Workspace<M>& workspace, Size place) {
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

  // The best of all blocks, as all threads of the last one know it: order keys, and the tiles where
  // they first stand.
  struct Found {
    Key low, high;
    uint32_t low_tile, high_tile, nan_tile;
  };
  // In the last block, whose own place is `place`.
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
  // The words of a state, by the last block. indices: where in their tiles the best first stand is
  // wanted, and looked for; else it is 0 that stands for any index.
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
  // Leaves the best of all blocks at `place`.
  ONEFOLD_KERNEL static void merge_blocks(M m, const Workspace<M>& workspace, Size place,
                                          Size places) {
    Extremes all;
    all.open();
    // Several at once, the last one again where there are no more: one after another, the blocks'
    // places would take 30 us.
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
    // The block's own place in `blocks` is written once all threads have read: close waits for
    // them.
    all.close(m, workspace, place);
    m.sync();
  }

  // The high word of a warp's best element; NaN if there is none.
  ONEFOLD_KERNEL static float bound_of(M m, const Best<Key>& best, int flip) {
    const auto k = static_cast<int>(best.key >> (8 * sizeof(Key) - 32));
    const int word = m.redux_min(best.tile == no_tile ? 0x7fffffff : k) ^ flip;
    return bit_cast<float>(word ^ (word >> 31 & 0x7fffffff));
  }

  static constexpr bool with_sign = kind_of(dtype_of<T>) == Kind::signed_integer;
  ONEFOLD_KERNEL static uint32_t lower(M m, uint32_t a, uint32_t b) {
    return with_sign ? min_signed_halves(a, b) : m.min_halves(a, b);
  }
  ONEFOLD_KERNEL static uint32_t higher(M m, uint32_t a, uint32_t b) {
    return with_sign ? max_signed_halves(a, b) : m.max_halves(a, b);
  }
  // The element whose bits are the highest of a half.
  ONEFOLD_KERNEL static T of_half(uint32_t half) {
    return bit_cast<T>(static_cast<bits_of<T>>(half >> (16 - 8 * sizeof(T))));
  }

  // Integers, two at once. Halves are in order of their high bytes, so that w << 8 shows the other
  // two bytes of a word.
  ONEFOLD_KERNEL void add_packed(M m, const Chunk<T, U>& c, uint32_t tile) {
    uint32_t low[2] = {c.w[0], c.w[1]}, high[2] = {c.w[0], c.w[1]};
    ONEFOLD_UNROLL
    for (int k = 0; k < c.words; ++k) {
      const uint32_t w = c.w[k], other = sizeof(T) == 1 ? w << 8 : w;
      if constexpr (wants_least) low[k % 2] = lower(m, lower(m, low[k % 2], w), other);
      if constexpr (wants_greatest) high[k % 2] = higher(m, higher(m, high[k % 2], w), other);
    }
    low[0] = lower(m, low[0], low[1]);
    high[0] = higher(m, high[0], high[1]);
    meet(Keys<T>::of(of_half(lower(m, low[0], low[0] >> 16))),
         Keys<T>::of(of_half(higher(m, high[0], high[0] >> 16))), tile);
  }

  // f16 and bf16, two at once. As numbers without sign the greatest is the negative one of greatest
  // magnitude, if there is a negative one: the least. With signs the greatest is the greatest
  // positive one. The smallest magnitude is looked for only where all have one sign.
  ONEFOLD_KERNEL void add_float_halves(M m, const Chunk<T, U>& c, uint32_t tile) {
    constexpr auto infinity = static_cast<int32_t>(Keys<T>::infinity());
    uint32_t most = c.w[0], greatest_positive = c.w[0];
    ONEFOLD_UNROLL
    for (int k = 1; k < c.words; ++k) {
      most = m.max_halves(most, c.w[k]);
      greatest_positive = max_signed_halves(greatest_positive, c.w[k]);
    }
    uint32_t low = greater_half(most);
    auto high = static_cast<int16_t>(max_signed_halves(greatest_positive, greatest_positive >> 16));
    if (high > infinity || low > (0x8000u | infinity)) {
      add_any(m, c, tile);
      return;
    }
    if ((wants_least && low < 0x8000) || (wants_greatest && high < 0)) {
      uint32_t smallest = c.w[0];
      ONEFOLD_UNROLL
      for (int k = 1; k < c.words; ++k) smallest = m.min_halves(smallest, c.w[k]);
      smallest = smaller_half(smallest);
      if (low < 0x8000) low = smallest;
      if (high < 0) high = static_cast<int16_t>(smallest);
    }
    meet(Keys<T>::of(bit_cast<T>(static_cast<uint16_t>(low))), Keys<T>::of(bit_cast<T>(high)),
         tile);
  }

  struct Numbers {
    Key low, high;
    bool some, nan;
  };
  ONEFOLD_KERNEL_COLD static Numbers without_nan(Chunk<T, U> c) {
    Numbers numbers{0, 0, false, false};
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      const Key key = Keys<T>::of(c.element(k));
      if (Keys<T>::nan(key)) {
        numbers.nan = true;
        continue;
      }
      if (!numbers.some || key < numbers.low) numbers.low = key;
      if (!numbers.some || key > numbers.high) numbers.high = key;
      numbers.some = true;
    }
    return numbers;
  }

  ONEFOLD_KERNEL void meet(Key low, Key high, uint32_t tile) {
    if constexpr (wants_least) least.meet(low, tile);
    if constexpr (wants_greatest) greatest.meet(static_cast<Key>(~high), tile);
  }
};

}  // namespace onefold::kernel
