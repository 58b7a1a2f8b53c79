// The tally (NaN, +inf, -inf, and whether some element is neither NaN nor -0) of floating-point
// elements, for kernels without windows; windows count it themselves.
//
//   cost     half an instruction for each 16-bit element, one for others, if a chunk has no NaN or
//            infinity; these are counted out of line
//   bound    counts have 32 bits: a lane adds fewer than 2^30 elements
#pragma once

#include "onefold/cuda/kernel/end/totals.hpp"
#include "onefold/cuda/kernel/number/packed.hpp"
#include "onefold/cuda/kernel/schedule/tiles.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct Counts {
  using Tally = accumulator::tally<T>;
  using Bits = bits_of<T>;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr Bits negative_zero = Bits{1} << (8 * sizeof(T) - 1);

  uint32_t nan, positive, negative;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open() {
    nan = positive = negative = 0;
    some_not_negative_zero = false;
  }

  // Counts NaN and infinities of a chunk, and replaces them by -0, which changes no sum.
  ONEFOLD_KERNEL void add(M, Chunk<T, U>& c) {
    if (has_special(c)) take(c);
    add_finite(c);
  }
  // Adds a chunk without NaN and infinities.
  ONEFOLD_KERNEL void add_finite(const Chunk<T, U>& c) {
    if (!some_not_negative_zero) some_not_negative_zero = !only_negative_zeros(c);
  }
  // Adds a chunk that may have NaN or infinities.
  ONEFOLD_KERNEL void take(Chunk<T, U>& c) {
    const CleanChunk found = look(c);
    c = found.clean;
    nan += found.nan;
    positive += found.positive;
    negative += found.negative;
    if (found.positive + found.negative != 0) some_not_negative_zero = true;
  }

  // Adds the counts of NaN and infinities to the words; returns whether there were any. Called by a
  // warp.
  ONEFOLD_KERNEL bool leave(M m, Words<M, T, set> words) {
    if (!m.any((nan | positive | negative) != 0)) return false;
    put(m, words, nan, positive, negative);
    return true;
  }

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    if constexpr (Accumulators(set).has(Accumulator::tally)) {
      const int64_t s[4] = {nan, positive, negative, some_not_negative_zero ? 1 : 0};
      static_assert(Tally::positive_infinity == Tally::nan + 1 &&
                    Tally::negative_infinity == Tally::nan + 2 &&
                    Tally::not_negative_zero == Tally::nan + 3);
      block_totals<4, warps>(m, s, 0, [&](int i, int, int64_t low, int64_t high) {
        words.add(m, Accumulator::tally, Tally::nan + i, low + high * (int64_t{1} << 44));
      });
    }
  }

 private:
  ONEFOLD_KERNEL_COLD static void put(M m, Words<M, T, set> words, uint32_t nan, uint32_t positive,
                                      uint32_t negative) {
    const uint32_t n = m.redux_add(nan), p = m.redux_add(positive), q = m.redux_add(negative);
    if (static_cast<unsigned>(m.lane()) == 0) {
      words.add(m, Accumulator::tally, Tally::nan, n);
      words.add(m, Accumulator::tally, Tally::positive_infinity, p);
      words.add(m, Accumulator::tally, Tally::negative_infinity, q);
    }
  }
  struct CleanChunk {
    Chunk<T, U> clean;
    uint32_t nan, positive, negative;
  };

  ONEFOLD_KERNEL static bool has_special(const Chunk<T, U>& c) {
    if constexpr (sizeof(T) == 2) {
      uint32_t z = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < c.words; ++k) z = poison<T>(c.w[k], z);
      return (z & 0x7fff7fffu) != 0;
    } else if constexpr (sizeof(T) == 8) {
      uint32_t most = 0;  // the greatest high word without its sign
      ONEFOLD_UNROLL
      for (int k = 1; k < c.words; k += 2) {
        const uint32_t high = c.w[k] & 0x7fffffffu;
        most = high > most ? high : most;
      }
      return most >= 0x7ff00000u;
    } else {
      float most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < c.words; ++k) most = extreme_or_nan<true>(most, absolute(c.element(k)));
      return bit_cast<uint32_t>(most) >= 0x7f800000u;
    }
  }

  ONEFOLD_KERNEL_COLD static CleanChunk look(Chunk<T, U> c) {
    CleanChunk found{c, 0, 0, 0};
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      const Decoded d = decode(c.element(k));
      if (d.finite()) continue;
      found.clean.set(k, negative_zero);
      ++(d.nan ? found.nan : d.negative ? found.negative : found.positive);
    }
    return found;
  }
};

}  // namespace onefold::kernel
