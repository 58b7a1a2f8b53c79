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

#include "onefold/kernel/either.hpp"
#include "onefold/kernel/feed/reach.hpp"
#include "onefold/kernel/number/packed.hpp"
#include "onefold/kernel/words.hpp"

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
  // If the number of sums is even, one access to shared memory takes two of them.
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

// A lane's sums of one access to shared memory: one or two.
template <bool two, class Piece>
using SlotOf = Either<two, Vector16<Piece>, Piece>;

// A lane's bins: `count` slots, which begin as 0. Slot i is at [i * 32].
template <class Slot, unsigned count, class M>
ONEFOLD_KERNEL Shared<M, Slot> bins_of_lane(M m) {
  const auto t = static_cast<unsigned>(m.thread());
  const Shared<M, Slot> slots = shared_of_launch<Slot>(m) + (t / 32 * (count * 32) + t % 32);
  ONEFOLD_NO_UNROLL
  for (unsigned i = 0; i < count; ++i) slots[i * 32] = Slot{};
  return slots;
}

// Adds two terms to a lane's bins, `at` times `apart` slots after the first. Both access shared
// memory at the same time. If both are in one bin, the second store is the last one: it holds both.
template <class Slot, unsigned apart, int pieces, class M>
ONEFOLD_KERNEL void add_to_bins(Shared<M, Slot> slots, double (&a)[2][pieces],
                                const unsigned (&at)[2]) {
  const bool same = at[0] == at[1];
  ONEFOLD_UNROLL
  for (int p = 0; p < pieces; ++p) a[1][p] += same ? a[0][p] : 0.0;
  Slot s[2];
  ONEFOLD_UNROLL
  for (int j = 0; j < 2; ++j) {
    const Slot v = slots[at[j] * apart];
    s[j] = v;
  }
  ONEFOLD_UNROLL
  for (int j = 0; j < 2; ++j) {
    if constexpr (pieces == 2) {
      s[j].v[0] += a[j][0];
      s[j].v[1] += a[j][1];
    } else {
      s[j] += a[j][0];
    }
    slots[at[j] * apart] = s[j];
  }
}

// Adds a warp's bins to the words, and clears them. Each lane sums one slot over all lanes; lane l
// begins with its own, so that no two use the same bank.
template <class Shape, class Slot, class M, class T, uint32_t set>
ONEFOLD_KERNEL_COLD void flush_bins(M m, Words<M, T, set> words, Shared<M, Slot> of_lane) {
  constexpr int together = Shape::two ? 2 : 1, S = Shape::pieces / together;
  constexpr bool integers = Shape::integers;
  const auto lane = static_cast<unsigned>(m.lane());
  const auto slots = of_lane + -static_cast<int>(lane);
  m.sync_warp();
  ONEFOLD_NO_UNROLL
  for (unsigned q = lane; q < Shape::bins * S; q += 32) {
    const int bin = static_cast<int>(q / S), first = static_cast<int>(q % S) * together;
    int64_t sum[together] = {};
    double scale[together];
    for (int j = 0; j < together && !integers; ++j) {
      scale[j] = make_double(static_cast<uint32_t>(1023 - Shape::unit(first + j, bin)) << 20, 0);
    }
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < 32; ++i) {
      const unsigned at = q * 32 + (lane + i) % 32;
      const Slot v = slots[at];
      slots[at] = Slot{};
      if constexpr (integers && together == 2) {
        sum[0] += v.v[0];
        sum[1] += v.v[1];
      } else if constexpr (integers) {
        sum[0] += v;
      } else if constexpr (together == 2) {
        sum[0] += static_cast<int64_t>(v.v[0] * scale[0]);
        sum[1] += static_cast<int64_t>(v.v[1] * scale[1]);
      } else {
        sum[0] += static_cast<int64_t>(v * scale[0]);
      }
    }
    for (int j = 0; j < together; ++j) {
      words.deposit(m, Shape::accumulator(first + j), sum[j], Shape::position(first + j, bin));
    }
  }
  m.sync_warp();
}

// Counts NaN and infinities in registers, and notes whether some element is not -0.
template <class M, class T, uint32_t set, int U>
struct Specials {
  static constexpr bool f64 = sizeof(T) == 8;
  static constexpr uint32_t infinity = f64 ? 0x7ff00000u : 0x7f800000u;

  uint32_t nans, positive_infinities, negative_infinities;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open() {
    nans = positive_infinities = negative_infinities = 0;
    some_not_negative_zero = false;
  }
  // Counts NaN and infinities of a chunk, and replaces them by -0.
  template <class Reach>
  ONEFOLD_KERNEL void clean(M m, Chunk<T, U>& c, const Reach& reach) {
    if (m.any(!all_finite(m, c, reach))) {
      ONEFOLD_UNROLL
      for (int k = 0; k < c.elements; ++k) {
        const uint32_t w = c.high(k), h = w & 0x7fffffffu;
        if (h < infinity) continue;
        const bool nan = h > infinity || (f64 && c.w[2 * k] != 0);
        if (nan) ++nans;
        if (!nan && w >> 31 == 0) ++positive_infinities;
        if (!nan && w >> 31 != 0) ++negative_infinities;
        c.set(k, bits_of<T>{1} << (8 * sizeof(T) - 1));
      }
    }
    if (!some_not_negative_zero) some_not_negative_zero = !only_negative_zeros(c);
  }
  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    if constexpr (Words<M, T, set>::State::has(Accumulator::tally)) {
      using Tally = accumulator::tally<T>;
      some_not_negative_zero |= positive_infinities + negative_infinities != 0;
      const bool some = m.any(some_not_negative_zero);
      const uint32_t nan = m.redux_add(nans), positive = m.redux_add(positive_infinities),
                     negative = m.redux_add(negative_infinities);
      if (static_cast<unsigned>(m.lane()) == 0) {
        words.add(m, Accumulator::tally, Tally::nan, nan);
        words.add(m, Accumulator::tally, Tally::positive_infinity, positive);
        words.add(m, Accumulator::tally, Tally::negative_infinity, negative);
        words.add(m, Accumulator::tally, Tally::not_negative_zero, some ? 1 : 0);
      }
    }
  }

 private:
  template <class Reach>
  ONEFOLD_KERNEL static bool all_finite(M m, const Chunk<T, U>& c, const Reach& reach) {
    if constexpr (sizeof(T) == 2) {
      uint32_t most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < c.words; ++k) most = m.max_halves(most, c.w[k] & 0x7fff7fffu);
      return greater_half(most) < infinity >> 16;
    } else if constexpr (f64) {
      // For f64, Reach takes large numbers for infinities; random bits often are large.
      uint32_t most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < c.elements; ++k) most = c.high(k) * 2 > most ? c.high(k) * 2 : most;
      return most < infinity * 2;
    } else {
      return reach.top() < infinity;
    }
  }
};

template <class M, class T, uint32_t set, int U, int warps, bool integers = false>
struct Bins {
  using Shape = BinShape<T, set, integers>;
  using Piece = Either<integers, int64_t, double>;
  static constexpr int K = Chunk<T, U>::elements, P = Shape::pieces;
  static constexpr bool two = Shape::two;
  static constexpr int S = two ? P / 2 : P;
  using Slot = SlotOf<two, Piece>;

  Shared<M, Slot> slots;  // the lane's slots: those of bin b are at [(b * S + i) * 32]
  Specials<M, T, set, U> specials;
  int held;

  ONEFOLD_KERNEL void open(M m) {
    slots = bins_of_lane<Slot, Shape::bins * S>(m);
    specials.open();
    held = 0;
  }

  template <class Reach>
  ONEFOLD_KERNEL void clean(M m, Chunk<T, U>& c, const Reach& reach) {
    specials.clean(m, c, reach);
  }

  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, const Chunk<T, U>& c) {
    if (held + K > Shape::capacity) {
      flush_bins<Shape, Slot>(m, words, slots);
      held = 0;
    }
    held += K;
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

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    flush_bins<Shape, Slot>(m, words, slots);
    specials.close(m, words);
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
