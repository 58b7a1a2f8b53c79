// Finds the least and the greatest element and their first indices. A lane keeps the best key and
// the first tile that has it; at the end the last block searches that tile for the index.
//
//   NaN      is neither least nor greatest; the first tile that has a NaN is kept
//   cost     f32: one instruction for each element and extreme; 8 and 16 bits: one for two elements
#pragma once

#include "onefold/core/accumulator.hpp"
#include "onefold/cuda/kernel/feed/keys.hpp"
#include "onefold/cuda/kernel/feed/reach.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct Extremes {
  using Key = typename Keys<T>::Key;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr bool wants_least = Accumulators(set).has(Accumulator::least),
                        wants_greatest = Accumulators(set).has(Accumulator::greatest);

  Best<Key> least, greatest;  // for greatest, keys are flipped: ~key
  uint32_t first_nan;
  // f32 and f64: only chunks that reach beyond the warp's best, by Reach, are searched. If the
  // bound is NaN, there is no best element yet.
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
  // Returns whether a chunk must be searched.
  template <class Reach>
  ONEFOLD_KERNEL bool beyond(M m, const Reach& reach) const {
    if constexpr (Floating<T> && sizeof(T) >= 4) {
      return m.any((wants_least && !(reach.low > bound_low)) ||
                   (wants_greatest && !(reach.high < bound_high)));
    } else {
      return true;
    }
  }
  // Adds a chunk. finite: it has no NaN.
  template <bool finite, class Reach>
  ONEFOLD_KERNEL void look(M m, const Chunk<T, U>& c, const Reach& reach, uint32_t tile) {
    meet_chunk<finite>(m, c, reach, tile);
    if constexpr (Floating<T> && sizeof(T) >= 4) {
      if constexpr (wants_least) bound_low = bound_of(m, least, 0);
      if constexpr (wants_greatest) bound_high = bound_of(m, greatest, ~0);
    }
  }
  // Adds a chunk of a tile. finite: it has no NaN.
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

  // Adds a chunk that may hold NaN.
  ONEFOLD_KERNEL void add_any(M, const Chunk<T, U>& c, uint32_t tile) {
    const Numbers numbers = without_nan(c);
    if (numbers.nan && tile < first_nan) first_nan = tile;
    if (numbers.some) meet(numbers.low, numbers.high, tile);
  }
  // Adds one element of a tile.
  ONEFOLD_KERNEL void add(M, T x, uint32_t tile) {
    const Key key = Keys<T>::of(x);
    if (!Keys<T>::nan(key)) {
      meet(key, key, tile);
    } else if (tile < first_nan) {
      first_nan = tile;
    }
  }

  ONEFOLD_KERNEL const Extremes& get(M) const { return *this; }

 private:
  // Returns the high word of a warp's best element; NaN if there is none.
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
  // Returns the element whose bits are the upper half of a word.
  ONEFOLD_KERNEL static T of_half(uint32_t half) {
    return bit_cast<T>(static_cast<bits_of<T>>(half >> (16 - 8 * sizeof(T))));
  }

  // Adds integers, two at a time. Halves are ordered by their high bytes, so w << 8 compares the
  // two low bytes of a word.
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

  // Adds f16 and bf16, two at a time. Compared as unsigned numbers, the greatest word is the
  // negative element of largest magnitude, if there is a negative one: the least element. Compared
  // as signed numbers, it is the largest positive element. The smallest magnitude is searched only
  // if all signs agree.
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
