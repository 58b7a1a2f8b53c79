// Sums f32 and bf16 of any exponents, their magnitudes and squares, exactly: in f64 bins by
// exponent, in shared memory. It takes data that windows.hpp gives up; limb_bins.hpp does so for
// f64.
//
//   bin      there are 16, numbered by exponent >> 4; each lane has its own
//   x        one f64 in units of 2^(16 b - 150); a term has 39 bits. x * x has 78 bits, so it is
//            two f64, in units of 2^(32 b - 261) and 2^(32 b - 300). 2^14 terms fit 53 bits
//   integers the same units as int64, for chips with few FP64 lanes
//   special  registers count NaN and infinities, which may be frequent here
//   source   bench/results/gpu_whole.md, an H200
#pragma once

#include "onefold/cuda/kernel/feed/bins_of_lane.hpp"

namespace onefold::kernel {

// The bins that a set of accumulators needs for an element type.
template <class T, uint32_t set, bool by_integers = false>
struct BinShape {
  static constexpr bool integers = by_integers;
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs),
                        squares = in.has(Accumulator::sumsq);
  static constexpr int bins = 16;
  // Each bin has f64 sums: of x, of |x|, and two of squares.
  static constexpr int first_square = sum + magnitudes;
  static constexpr int pieces = bin_pieces(in);
  // With an even number of sums, one access to shared memory loads two of them.
  static constexpr bool two = pieces % 2 == 0;
  // Terms that a bin may take between flushes.
  static constexpr int capacity = integers ? 1 << 23 : 1 << 14;
  static_assert(bins * pieces * 8 == bin_bytes(dtype_of<T>, in));

  // Returns log2 of the unit of piece i of bin b.
  ONEFOLD_KERNEL static int unit(int i, int b) {
    return i < first_square ? 16 * b - 150 : 32 * b - 261 - 39 * (i - first_square);
  }
  // Returns that unit's position, counted from limb 0.
  ONEFOLD_KERNEL static int position(int i, int b) {
    return unit(i, b) - (i < first_square ? 1 : 2) * unit_of<T>;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) {
    if (i >= first_square) return Accumulator::sumsq;
    return sum && i == 0 ? Accumulator::sum : Accumulator::sumabs;
  }
};

template <class M, class T, uint32_t set, int U, int warps, bool integers = false>
struct Bins : BinsOfLane<M, BinShape<T, set, integers>, Either<integers, int64_t, double>,
                         Specials<M, T, set, U>, Chunk<T, U>::elements> {
  using Shape = BinShape<T, set, integers>;
  using Piece = Either<integers, int64_t, double>;
  static constexpr int K = Chunk<T, U>::elements, P = Shape::pieces;
  static constexpr bool two = Shape::two;
  static constexpr int S = Bins::BinsOfLane::S;
  using Slot = typename Bins::BinsOfLane::Slot;

  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, const Chunk<T, U>& c) {
    this->hold(m, words);
    const auto slots = this->slots;
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      Piece a[P];
      const unsigned at = cut(c.high(k), a) * S;
      Slot s[S];
      ONEFOLD_UNROLL
      for (int i = 0; i < S; ++i) {
        const Slot v = slots[at + static_cast<unsigned>(i * 32)];
        s[i] = v;
      }
      ONEFOLD_UNROLL
      for (int i = 0; i < S; ++i) {
        if constexpr (two) {
          s[i].v[0] += a[2 * i];
          s[i].v[1] += a[2 * i + 1];
        } else {
          s[i] += a[i];
        }
        slots[at + static_cast<unsigned>(i * 32)] = s[i];
      }
    }
  }

 private:
  // Splits an f32's bits into pieces; returns 32 times its bin.
  // A subnormal number has the exponent 1, and no hidden bit.
  ONEFOLD_KERNEL static unsigned cut(uint32_t w, int64_t (&a)[P]) {
    constexpr uint32_t one = 1u << 23;
    const uint32_t e = w & 0x7f800000u, hidden = e < one ? e : one, above = e > one ? e : one;
    const int32_t m = static_cast<int32_t>((w & (one - 1)) | hidden),
                  sign = static_cast<int32_t>(w) >> 31;
    const unsigned up = above >> 23 & 15;
    if constexpr (Shape::sum) {
      a[0] = static_cast<int64_t>((m ^ sign) - sign) * (int32_t{1} << up);
    }
    if constexpr (Shape::magnitudes) {
      a[Shape::sum ? 1 : 0] = static_cast<int64_t>(m) * (int32_t{1} << up);
    }
    if constexpr (Shape::squares) {
      constexpr int q = Shape::first_square;
      const auto square = static_cast<uint64_t>(m) * static_cast<uint64_t>(m);
      a[q] = static_cast<int64_t>(square >> (39 - 2 * up));
      a[q + 1] = static_cast<int64_t>(square << 2 * up & ((uint64_t{1} << 39) - 1));
    }
    return opaque(w & 0x78000000u) >> 22;
  }
  ONEFOLD_KERNEL static unsigned cut(uint32_t w, double (&a)[P]) {
    constexpr int q = Shape::first_square;
    const double x = static_cast<double>(bit_cast<float>(w));
    if constexpr (Shape::sum) a[0] = x;
    if constexpr (Shape::magnitudes) a[Shape::sum ? 1 : 0] = absolute(x);
    if constexpr (Shape::squares) {
      const double p = x * x;
      // This is 1.5 * 2^52 units of the upper half.
      a[q] = above(p, make_double((w >> 2 & 0x1e000000u) + (814u << 20 | 0x80000u), 0));
      a[q + 1] = p - a[q];
    }
    return opaque(w & 0x78000000u) >> 22;
  }
  // Rounds x to a multiple of a unit, if magic = 1.5 * 2^52 units.
  ONEFOLD_KERNEL static double above(double x, double magic) { return (x + magic) - magic; }
};

}  // namespace onefold::kernel
