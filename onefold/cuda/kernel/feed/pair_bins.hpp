// Sums f64 of any exponents, or their magnitudes, exactly: in pairs of f64 bins by exponent, in
// shared memory. It takes data that windows.hpp gives up.
//
//   bin      there are 64, numbered by exponent >> 5; each lane has its own
//   term     y = x * 2^(1024 - 32 b) is below 2^33, so constants split it: into units of 2^-9 and
//            of 2^-51, at most 42 bits each. 2^11 of them fit 53 bits
//   pairs    two elements access shared memory at the same time, since too few warps fit to hide
//            the latency
//   instead  limbs (limb_bins.hpp) have half the memory, but 1.5 times the traffic: random bits had
//            0.75 of a plain read on an H200, instead of 0.79
//   source   bench/results/gpu_whole.md, an H200
#pragma once

#include "onefold/cuda/kernel/feed/bins_of_lane.hpp"

namespace onefold::kernel {

template <uint32_t set>
struct PairShape {
  static constexpr bool magnitudes = Accumulators(set).has(Accumulator::sumabs);
  static constexpr int bins = 64, pieces = 2, capacity = 1 << 11;
  static constexpr bool two = true, integers = false;
  static_assert(bins * pieces * 8 == bin_bytes(DType::f64, Accumulators(set)));

  // Returns log2 of the unit of piece i in its f64; then its position from limb 0, for bin b.
  ONEFOLD_KERNEL static int unit(int i, int) { return -9 - 42 * i; }
  ONEFOLD_KERNEL static int position(int i, int b) { return unit(i, b) + 32 * b + 50; }
  ONEFOLD_KERNEL static Accumulator accumulator(int) {
    return magnitudes ? Accumulator::sumabs : Accumulator::sum;
  }
};

template <class M, uint32_t set, int U>
struct PairBins : BinsOfLane<M, PairShape<set>, double, Specials<M, double, set, U>,
                             Chunk<double, U>::elements> {
  using Shape = PairShape<set>;
  static constexpr int K = Chunk<double, U>::elements;

  ONEFOLD_KERNEL void add(M m, Words<M, double, set> words, const Chunk<double, U>& c) {
    this->hold(m, words);
    ONEFOLD_UNROLL
    for (int k = 0; k < K; k += 2) {
      double a[2][2];
      unsigned at[2];
      ONEFOLD_UNROLL
      for (int j = 0; j < 2; ++j) at[j] = cut(c, k + j, a[j]);
      add_to_bins<Vector16<double>, 1, 2, M>(this->slots, a, at);
    }
  }

 private:
  // Splits element k into its pieces; returns 32 times its bin.
  ONEFOLD_KERNEL static unsigned cut(const Chunk<double, U>& c, int k, double (&a)[2]) {
    const uint32_t h = c.w[2 * k + 1], l = c.w[2 * k];
    double y = make_double((h & 0x81ffffffu) | 0x40000000u, l);
    // x is subnormal or zero, so it has no hidden bit.
    if ((h & 0x7ff00000u) == 0) y = make_double(h, l) * 0x1p1023 * 2;
    if constexpr (Shape::magnitudes) y = absolute(y);
    a[0] = (y + 0x1.8p43) - 0x1.8p43;
    a[1] = y - a[0];
    return (h >> 25 & 63) * 32;
  }
};

}  // namespace onefold::kernel
