// The least and the greatest element and where they first stand, by value first: a lane keeps the
// best key and the tile where it first stood. The finisher looks for the index in that one tile.
//
//   NaN      is neither; the first tile that holds one is kept
//   cost     f32: one instruction an element and extreme; 8 and 16 bits: one for two, by halves
#pragma once

#include "onefold/kernel/packed.hpp"
#include "onefold/kernel/state.hpp"
#include "onefold/kernel/tiles.hpp"
#include "onefold/order_key.hpp"

namespace onefold::kernel {

// Tile ids are below this.
inline constexpr uint32_t no_tile = ~0u;

namespace detail {
template <bool wide>
struct KeyOf {
  using type = int32_t;
};
template <>
struct KeyOf<true> {
  using type = int64_t;
};
}  // namespace detail

// Order keys in as few bits as the elements have.
template <class T>
struct Keys {
  using Key = typename detail::KeyOf<sizeof(T) == 8>::type;
  static constexpr bool shifted = dtype_of<T> == DType::u32;

  ONEFOLD_KERNEL static Key of(T x) {
    if constexpr (shifted) {
      return static_cast<Key>(x ^ 0x80000000u);
    } else {
      return static_cast<Key>(order_key(x));
    }
  }
  ONEFOLD_KERNEL static int64_t order_key_of(Key k) {
    return static_cast<int64_t>(k) + (shifted ? int64_t{1} << 31 : 0);
  }
  // Of +inf and -inf: what is beyond is a NaN.
  static constexpr Key infinity() {
    if constexpr (Floating<T>) {
      constexpr FloatFormat f = float_format(dtype_of<T>);
      return static_cast<Key>(((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits);
    } else {
      return 0;
    }
  }
  ONEFOLD_KERNEL static bool nan(Key k) {
    return Floating<T> && (k > infinity() || k < ~infinity());
  }
};

// The better of two keys is the smaller one, of equal keys the earlier tile.
template <class Key>
struct Best {
  Key key;
  uint32_t tile;

  ONEFOLD_KERNEL void meet(Key k, uint32_t t) {
    if (t != no_tile && (tile == no_tile || k < key || (k == key && t < tile))) {
      key = k;
      tile = t;
    }
  }
};

template <class M, class T, uint32_t set, int U, int warps>
struct Extremes {
  using Key = typename Keys<T>::Key;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr bool wants_least = Accumulators(set).has(Accumulator::least),
                        wants_greatest = Accumulators(set).has(Accumulator::greatest);

  Best<Key> least, greatest;  // of greatest the keys are flipped: ~key
  uint32_t first_nan;

  ONEFOLD_KERNEL void open() {
    least = greatest = {0, no_tile};
    first_nan = no_tile;
  }

  // Tiles come in the order of their ids.
  ONEFOLD_KERNEL void add(M m, const Chunk<T, U>& c, uint32_t tile) {
    if constexpr (dtype_of<T> == DType::f32) {
      float low = c.element(0), high = low;
      ONEFOLD_UNROLL
      for (int k = 1; k < K; ++k) {
        if constexpr (wants_least) low = m.min_or_nan(low, c.element(k));
        if constexpr (wants_greatest) high = m.max_or_nan(high, c.element(k));
      }
      if (low != low || high != high) {
        low = high = c.element(0);
        ONEFOLD_UNROLL
        for (int k = 1; k < K; ++k) {
          if constexpr (wants_least) low = m.min(low, c.element(k));
          if constexpr (wants_greatest) high = m.max(high, c.element(k));
        }
        if (first_nan == no_tile) first_nan = tile;
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
      if (Keys<T>::nan(low) || Keys<T>::nan(high)) {
        add_with_nan(c, tile);
      } else {
        meet(low, high, tile);
      }
    }
  }
  // One element of a tile.
  ONEFOLD_KERNEL void add(T x, uint32_t tile) {
    const Key key = Keys<T>::of(x);
    if (!Keys<T>::nan(key)) {
      meet(key, key, tile);
    } else if (tile < first_nan) {
      first_nan = tile;
    }
  }

  // Leaves the block's best at its place in `blocks`.
  ONEFOLD_KERNEL void close(M m, const Workspace<M>& workspace) {
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
      const Size at = Size{m.block()} * block_words;
      workspace.blocks[at + least_key] = static_cast<int64_t>(least.key);
      workspace.blocks[at + least_tile] = static_cast<int64_t>(least.tile);
      workspace.blocks[at + greatest_key] = static_cast<int64_t>(greatest.key);
      workspace.blocks[at + greatest_tile] = static_cast<int64_t>(greatest.tile);
      workspace.blocks[at + nan_tile] = static_cast<int64_t>(first_nan);
    }
  }

  // In the last block: the best of all blocks, and where in its tile it first stands.
  template <class Input>
  ONEFOLD_KERNEL static void finish(M m, const Workspace<M>& workspace, const Input& input,
                                    const Tiles<T, U>& tiles, Out<M, int64_t> state) {
    using State = StateOf<T, set>;
    using Least = typename accumulator::least<T>::State;
    using Greatest = typename accumulator::greatest<T>::State;
    Extremes all;
    all.open();
    ONEFOLD_NO_UNROLL
    for (Size b = static_cast<unsigned>(m.thread()); b < m.blocks(); b += m.threads()) {
      const Size at = b * block_words;
      const int64_t l = workspace.blocks[at + least_key], lt = workspace.blocks[at + least_tile],
                    g = workspace.blocks[at + greatest_key],
                    gt = workspace.blocks[at + greatest_tile],
                    nan = workspace.blocks[at + nan_tile];
      all.least.meet(static_cast<Key>(l), static_cast<uint32_t>(lt));
      all.greatest.meet(static_cast<Key>(g), static_cast<uint32_t>(gt));
      const auto n = static_cast<uint32_t>(nan);
      all.first_nan = n < all.first_nan ? n : all.first_nan;
    }
    // The block's own place in `blocks` has been read by all and is free.
    m.sync();
    all.close(m, workspace);
    m.sync();
    const unsigned t = static_cast<unsigned>(m.thread());
    if (t >= 32) return;
    const Size at = Size{m.block()} * block_words;
    const int64_t l = workspace.blocks[at + least_key], lt = workspace.blocks[at + least_tile],
                  g = workspace.blocks[at + greatest_key],
                  gt = workspace.blocks[at + greatest_tile], nan = workspace.blocks[at + nan_tile];
    const Size first_nan_index =
        find(m, input, tiles, static_cast<uint32_t>(nan), [](Key k) { return Keys<T>::nan(k); });
    const auto put = [&](Accumulator a, Size index, int64_t key) {
      state[State::offset(a)] = key;
      state[State::offset(a) + 1] = static_cast<int64_t>(index);
      state[State::offset(a) + 2] = static_cast<int64_t>(first_nan_index);
    };
    if constexpr (wants_least) {
      const Size i = find(m, input, tiles, static_cast<uint32_t>(lt),
                          [=](Key k) { return k == static_cast<Key>(l); });
      const int64_t key = Keys<T>::order_key_of(static_cast<Key>(l));
      if (t == 0) put(Accumulator::least, i, i == none ? Least{}.key : key);
    }
    if constexpr (wants_greatest) {
      const Key best = static_cast<Key>(~g);
      const Size i =
          find(m, input, tiles, static_cast<uint32_t>(gt), [=](Key k) { return k == best; });
      const int64_t key = Keys<T>::order_key_of(best);
      if (t == 0) put(Accumulator::greatest, i, i == none ? Greatest{}.key : key);
    }
  }

 private:
  // By a warp: the index of the first element of a tile whose key is wanted; none for no tile.
  template <class Input, class Wanted>
  ONEFOLD_KERNEL_COLD static Size find(M m, const Input& input, const Tiles<T, U>& tiles,
                                       uint32_t tile, Wanted wanted) {
    if (tile == no_tile) return none;
    const Range range = tiles.of(tile);
    Size found = none;
    ONEFOLD_NO_UNROLL
    for (Size i = range.begin + static_cast<unsigned>(m.lane()); i < range.end; i += 32) {
      const T x = input.x[i];
      if (found == none && wanted(Keys<T>::of(x))) found = i;
    }
    ONEFOLD_NO_UNROLL
    for (unsigned d = 16; d > 0; d /= 2) {
      const Size other = m.shuffle_xor(found, d);
      found = other < found ? other : found;
    }
    return found == none ? none : input.first + found;
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
      add_with_nan(c, tile);
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
    bool some;
  };
  ONEFOLD_KERNEL void add_with_nan(const Chunk<T, U>& c, uint32_t tile) {
    const Numbers numbers = without_nan(c);
    if (tile < first_nan) first_nan = tile;
    if (numbers.some) meet(numbers.low, numbers.high, tile);
  }
  ONEFOLD_KERNEL_COLD static Numbers without_nan(Chunk<T, U> c) {
    Numbers numbers{0, 0, false};
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      const Key key = Keys<T>::of(c.element(k));
      if (Keys<T>::nan(key)) continue;
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
