// Sums bf16 of any exponents, and their magnitudes, exactly: in f32 bins by exponent, in shared
// memory. Traffic limits sums of two-byte elements; it is half of that of bins.hpp.
//
//   bin      there are 32, numbered by exponent >> 3; each lane has its own
//   term     x * 2^(122 - 8 b), made by the fma that adds it: a multiple of 2^-12 below 2^3, so 15
//            bits; 2^9 of them fit 24 bits
//   flush    each lane adds one bin of all lanes to an int64 of its own
#pragma once

#include "onefold/cuda/kernel/feed/bins_of_lane.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct HalfBins {
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs);
  static constexpr int K = Chunk<T, U>::elements, S = sum + magnitudes, bins = 32, capacity = 512;
  static_assert(bins * S * 4 == bin_bytes(DType::bf16, in));

  Shared<M, float> slots;  // the lane's slots: those of bin b are at [(b * S + i) * 32]
  Specials<M, T, set, U> specials;
  int64_t totals[S];  // sums of bin number `lane`
  int held;

  ONEFOLD_KERNEL void open(M m) {
    const auto t = static_cast<unsigned>(m.thread());
    slots = shared_of_launch<float>(m) + (t / 32 * (bins * S * 32) + t % 32);
    specials.open();
    held = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < S; ++i) totals[i] = 0;
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < bins * S; ++i) slots[i * 32] = 0.0f;
  }
  template <class Reach>
  ONEFOLD_KERNEL void clean(M m, Chunk<T, U>& c, const Reach& reach) {
    specials.clean(m, c, reach);
  }
  ONEFOLD_KERNEL void add(M m, Words<M, T, set>, const Chunk<T, U>& c) {
    if (held + K > capacity) flush(m);
    held += K;
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t w = c.high(k), bin = opaque(w & 0x7c000000u);
      const unsigned at = (bin >> 21) * S;
      const float x = bit_cast<float>(w), scale = bit_cast<float>(bin ^ 0x7c800000u);
      float s[S];
      ONEFOLD_UNROLL
      for (int i = 0; i < S; ++i) {
        const float v = slots[at + static_cast<unsigned>(i * 32)];
        s[i] = fused(sum && i == 0 ? x : absolute(x), scale, v);
      }
      ONEFOLD_UNROLL
      for (int i = 0; i < S; ++i) slots[at + static_cast<unsigned>(i * 32)] = s[i];
    }
  }
  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    flush(m);
    // Four bins, of 32 bits, make one addition, since many warps add to the same few words.
    const auto lane = static_cast<unsigned>(m.lane());
    const int position = 8 * static_cast<int>(lane) - 134 - unit_of<T>;
    ONEFOLD_UNROLL
    for (int i = 0; i < S; ++i) {
      Int128 four = totals[i];
      for (unsigned k = 1; k < 4; ++k) {
        four += static_cast<Int128>(m.shuffle(totals[i], (lane + k) % 32)) * (1 << 8 * k);
      }
      if (lane % 4 == 0) {
        words.deposit(m, sum && i == 0 ? Accumulator::sum : Accumulator::sumabs, four, position);
      }
    }
    specials.close(m, words);
  }

 private:
  ONEFOLD_KERNEL void flush(M m) {
    m.sync_warp();
    const auto lane = static_cast<unsigned>(m.lane());
    const auto of_warp = slots + -static_cast<int>(lane);
    ONEFOLD_UNROLL
    for (int i = 0; i < S; ++i) {
      int total = 0;
      ONEFOLD_NO_UNROLL
      for (unsigned j = 0; j < 32; ++j) {  // each lane uses another bank
        const unsigned at = (lane * S + static_cast<unsigned>(i)) * 32 + (lane ^ j);
        const float v = of_warp[at];
        of_warp[at] = 0.0f;
        total += static_cast<int>(v * 0x1p12f);
      }
      totals[i] += total;
    }
    held = 0;
    m.sync_warp();
  }
};

}  // namespace onefold::kernel
