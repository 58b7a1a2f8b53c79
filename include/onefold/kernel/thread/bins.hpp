// Sums of f32, f64 and bf16 of any exponents, of their magnitudes and squares: exact, in f64 bins
// by exponent, in shared memory. For what windows.hpp gives up.
//
//   bin      f32: exponent >> 4, 16 of them; f64: exponent >> 5, 64. A lane has its own
//   f32      x: one f64, units of 2^(16 b - 150), 39 bits of a term. x * x, 78 bits: split into
//            two of 39 bits, units of 2^(32 b - 261) and 2^(32 b - 300). 2^14 terms fit 53 bits
//   f64      y = x * 2^(1024 - 32 b) is below 2^33, so that all that splits it is constant.
//            y: units of 2^-9 and 2^-51. p = y * y rounded and its error e: units of 2^24, 2^-18,
//            2^-60 and 2^-102. Terms have at most 42 bits each: 2^11 of them fit
//   special  NaN and infinities are counted in registers: they may be frequent here
//   source   shared probes of exact sums on an H200: pairs of elements overlap their round trips to
//            shared memory
#pragma once

#include "onefold/kernel/lift.hpp"
#include "onefold/kernel/packed.hpp"
#include "onefold/kernel/thread/reach.hpp"

namespace onefold::kernel {

// What a set asks of the bins of an element type.
template <class T, uint32_t set>
struct BinShape {
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs),
                        squares = in.has(Accumulator::sumsq);
  static constexpr bool f64 = sizeof(T) == 8;
  static constexpr int bins = f64 ? 64 : 16;
  // f64 of a bin: of x, of |x| as many, of squares twice as many.
  static constexpr int of_x = f64 ? 2 : 1;
  static constexpr int first_square = of_x * (sum + magnitudes);
  static constexpr int pieces = bin_pieces(dtype_of<T>, in);
  static constexpr int capacity = f64 ? 1 << 11 : 1 << 14;  // terms of a bin between flushes
  static_assert(bins * pieces * 8 == bin_bytes(dtype_of<T>, in));

  // log2 of the unit of piece i of bin b, as its f64 has it.
  ONEFOLD_KERNEL static int unit(int i, int b) {
    const int j = i < first_square ? i % of_x : i - first_square;
    if constexpr (f64) return i < first_square ? -9 - 42 * j : 24 - 42 * j;
    return i < first_square ? 16 * b - 150 : 32 * b - 261 - 39 * j;
  }
  // The same, counted from limb 0.
  ONEFOLD_KERNEL static int position(int i, int b) {
    if constexpr (f64) return unit(i, b) + (i < first_square ? 32 * b + 50 : 64 * b + 100);
    return unit(i, b) - (i < first_square ? 1 : 2) * unit_of<T>;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) {
    if (i >= first_square) return Accumulator::sumsq;
    return sum && i < of_x ? Accumulator::sum : Accumulator::sumabs;
  }
};

namespace detail {
template <bool two>
struct SlotOf {
  using type = double;
};
template <>
struct SlotOf<true> {
  using type = Vector16<double>;
};
}  // namespace detail

template <class M, class T, uint32_t set, int U, int warps>
struct Bins {
  using Shape = BinShape<T, set>;
  static constexpr int K = Chunk<T, U>::elements, P = Shape::pieces;
  // One access of shared memory takes two pieces, if that comes out even.
  static constexpr bool two = P % 2 == 0;
  static constexpr int S = two ? P / 2 : P;
  using Slot = typename detail::SlotOf<two>::type;
  static constexpr uint32_t infinity = Shape::f64 ? 0x7ff00000u : 0x7f800000u;

  Shared<M, Slot> slots;  // of the warp: that of bin b and a lane is [(b * S + i) * 32 + lane]
  unsigned lane;
  uint32_t nans, positive_infinities, negative_infinities;
  int held;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open(M m) {
    const auto t = static_cast<unsigned>(m.thread());
    lane = t % 32;
    slots = shared_of_launch<Slot>(m) + t / 32 * (Shape::bins * S * 32);
    nans = positive_infinities = negative_infinities = 0;
    held = 0;
    some_not_negative_zero = false;
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < Shape::bins * S; ++i) slots[i * 32 + lane] = Slot{};
  }

  // Counts what is no number, and puts -0 there.
  template <class Reach>
  ONEFOLD_KERNEL void clean(M m, Chunk<T, U>& c, const Reach& reach) {
    if (!m.any(!all_finite(m, c, reach))) return;
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t w = high(c, k), h = w & 0x7fffffffu;
      if (h < infinity) continue;
      const bool nan = h > infinity || (Shape::f64 && c.w[2 * k] != 0);
      if (nan) ++nans;
      if (!nan && w >> 31 == 0) ++positive_infinities;
      if (!nan && w >> 31 != 0) ++negative_infinities;
      c.set(k, bits_of<T>{1} << (8 * sizeof(T) - 1));
    }
  }

  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, const Chunk<T, U>& c) {
    if (held + K > Shape::capacity) {
      flush(m, words, slots, lane);
      held = 0;
    }
    held += K;
    if (!some_not_negative_zero) some_not_negative_zero = !only_negative_zeros(c);
    // Of f64 two elements make their round trips at once: few warps fit beside their bins.
    constexpr int step = Shape::f64 ? 2 : 1;
    ONEFOLD_UNROLL
    for (int k = 0; k < K; k += step) {
      double a[step][P];
      unsigned at[step];
      ONEFOLD_UNROLL
      for (int j = 0; j < step; ++j) at[j] = cut(c, k + j, a[j]) * (S * 32) + lane;
      if constexpr (step == 2) {
        // In one bin: the second one's store is the last, and holds both.
        const bool same = at[0] == at[1];
        ONEFOLD_UNROLL
        for (int p = 0; p < P; ++p) a[1][p] += same ? a[0][p] : 0.0;
      }
      Slot s[step][S];
      ONEFOLD_UNROLL
      for (int j = 0; j < step; ++j) {
        ONEFOLD_UNROLL
        for (int i = 0; i < S; ++i) {
          const Slot v = slots[at[j] + static_cast<unsigned>(i * 32)];
          s[j][i] = v;
        }
      }
      ONEFOLD_UNROLL
      for (int j = 0; j < step; ++j) {
        ONEFOLD_UNROLL
        for (int i = 0; i < S; ++i) {
          if constexpr (two) {
            s[j][i].v[0] += a[j][2 * i];
            s[j][i].v[1] += a[j][2 * i + 1];
          } else {
            s[j][i] += a[j][i];
          }
          slots[at[j] + static_cast<unsigned>(i * 32)] = s[j][i];
        }
      }
    }
  }

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    flush(m, words, slots, lane);
    if constexpr (Words<M, T, set>::State::has(Accumulator::tally)) {
      using Tally = accumulator::tally<T>;
      some_not_negative_zero |= positive_infinities + negative_infinities != 0;
      const bool some = m.any(some_not_negative_zero);
      const uint32_t nan = m.redux_add(nans), positive = m.redux_add(positive_infinities),
                     negative = m.redux_add(negative_infinities);
      if (lane == 0) {
        words.add(m, Accumulator::tally, Tally::nan, nan);
        words.add(m, Accumulator::tally, Tally::positive_infinity, positive);
        words.add(m, Accumulator::tally, Tally::negative_infinity, negative);
        words.add(m, Accumulator::tally, Tally::not_negative_zero, some ? 1 : 0);
      }
    }
  }

 private:
  // The word that holds sign and exponent; bf16 enters as f32.
  ONEFOLD_KERNEL static uint32_t high(const Chunk<T, U>& c, int k) {
    if constexpr (sizeof(T) == 2) {
      return k % 2 == 0 ? c.w[k / 2] << 16 : c.w[k / 2] & 0xffff0000u;
    } else {
      return c.high(k);
    }
  }
  template <class Reach>
  ONEFOLD_KERNEL static bool all_finite(M m, const Chunk<T, U>& c, const Reach& reach) {
    if constexpr (sizeof(T) == 2) {
      uint32_t most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < c.words; ++k) most = m.max_halves(most, c.w[k] & 0x7fff7fffu);
      return greater_half(most) < infinity >> 16;
    } else if constexpr (Shape::f64) {
      // Of f64 Reach takes large ones for infinities, which are frequent among random bits.
      uint32_t most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) most = c.high(k) * 2 > most ? c.high(k) * 2 : most;
      return most < infinity * 2;
    } else {
      return reach.top() < infinity;
    }
  }

  // Element k's pieces, and its bin.
  ONEFOLD_KERNEL static unsigned cut(const Chunk<T, U>& c, int k, double (&a)[P]) {
    constexpr int q = Shape::first_square;
    if constexpr (Shape::f64) {
      const uint32_t h = c.w[2 * k + 1], l = c.w[2 * k];
      double y = make_double((h & 0x81ffffffu) | 0x40000000u, l);
      const bool tiny = (h & 0x7ff00000u) == 0;  // subnormal or zero: has no hidden bit
      if (tiny) y = make_double(h, l) * 0x1p1023 * 2;
      if constexpr (Shape::sum) halve(y, a[0], a[1]);
      if constexpr (Shape::magnitudes) {
        halve(absolute(y), a[Shape::sum ? 2 : 0], a[Shape::sum ? 3 : 1]);
      }
      if constexpr (Shape::squares) {
        double p = y * y;
        double e = fused(y, y, -p);
        a[q] = above(p, 0x1.8p76);
        p -= a[q];
        const double p1 = above(p, 0x1.8p34), e1 = above(e, 0x1.8p34);
        p -= p1;
        e -= e1;
        const double e2 = above(e, 0x1.8p-8);
        a[q + 3] = e - e2;
        if (tiny) {
          const double p2 = above(p, 0x1.8p-8);
          a[q + 3] += p - p2;
          p = p2;
        }
        a[q + 1] = p1 + e1;
        a[q + 2] = p + e2;
      }
      return h >> 25 & 63;
    } else {
      const uint32_t w = high(c, k);
      const double x = static_cast<double>(bit_cast<float>(w));
      if constexpr (Shape::sum) a[0] = x;
      if constexpr (Shape::magnitudes) a[Shape::sum ? 1 : 0] = absolute(x);
      if constexpr (Shape::squares) {
        const double p = x * x;
        // 1.5 * 2^52 units of the upper half.
        a[q] = above(p, make_double((w >> 2 & 0x1e000000u) + (814u << 20 | 0x80000u), 0));
        a[q + 1] = p - a[q];
      }
      return w >> 27 & 15;
    }
  }
  // What x has above half a unit, of magic = 1.5 * 2^52 units.
  ONEFOLD_KERNEL static double above(double x, double magic) { return (x + magic) - magic; }
  ONEFOLD_KERNEL static void halve(double y, double& upper, double& lower) {
    upper = above(y, 0x1.8p43);
    lower = y - upper;
  }

  // The warp's bins go to the words, and are zero again. A lane sums up a slot over all lanes; it
  // begins with its own, so that no two meet in a bank.
  ONEFOLD_KERNEL_COLD static void flush(M m, Words<M, T, set> words, Shared<M, Slot> slots,
                                        unsigned lane) {
    m.sync_warp();
    ONEFOLD_NO_UNROLL
    for (unsigned q = lane; q < Shape::bins * S; q += 32) {
      const int bin = static_cast<int>(q / S), first = static_cast<int>(q % S) * (two ? 2 : 1);
      int64_t sum[two ? 2 : 1] = {};
      double scale[two ? 2 : 1];
      for (int j = 0; j < (two ? 2 : 1); ++j) {
        scale[j] = make_double(static_cast<uint32_t>(1023 - Shape::unit(first + j, bin)) << 20, 0);
      }
      ONEFOLD_NO_UNROLL
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned at = q * 32 + (lane + i) % 32;
        const Slot v = slots[at];
        slots[at] = Slot{};
        if constexpr (two) {
          sum[0] += static_cast<int64_t>(v.v[0] * scale[0]);
          sum[1] += static_cast<int64_t>(v.v[1] * scale[1]);
        } else {
          sum[0] += static_cast<int64_t>(v * scale[0]);
        }
      }
      for (int j = 0; j < (two ? 2 : 1); ++j) {
        words.deposit(m, Shape::accumulator(first + j), sum[j], Shape::position(first + j, bin));
      }
    }
    m.sync_warp();
  }
};

}  // namespace onefold::kernel
