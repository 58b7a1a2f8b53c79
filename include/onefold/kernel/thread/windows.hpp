// Sums of f32 and f64, of their magnitudes and squares: exact, in f64 registers.
//
//   idea     A chunk is taken only if each of its elements is 0 or has 2^(E-D) <= |x| < 2^E. Then
//            the lowest bit of everything that is added is known, windows of 48 bits from 2^E down
//            hold it all, and nothing can be left over.
//   window   a = M + (multiples of its unit), M = 1.5 * 2^52 units. t = a + x; x -= t - a; a = t
//            moves what x has above half a unit; the last window takes the rest by one addition.
//            8 additions of at most 2^48 units keep a within M's binade, where all is exact.
//   squares  f32: x * x is exact in f64 and enters by fma. f64: p = x * x rounded and its error
//            e = fma(x, x, -p), both added; E is limited so that neither over- nor underflows.
//   flush    after each chunk, by integers: s += bits(a) - bits(M)
//   misfits  where the range does not fit, the anchor moves; up to 8 elements of a warp's chunk
//            (NaN, infinities, outliers) are lifted one by one and count as 0 here. More are given
//            up (lists.hpp), or lifted if nothing follows
//   wide     one window more of squares, D = 44 for f64 and 48 for f32: the second launch
//   source   shared probes of exact sums on an H200: f64 units 2^(E - 48 (i + 1)), D = 44 for sums,
//            20 with squares; f32 D = 72 for sums alone, 24 with squares, 25 for squares alone
#pragma once

#include "onefold/kernel/lift.hpp"
#include "onefold/kernel/scalar.hpp"
#include "onefold/kernel/tiles.hpp"
#include "onefold/kernel/totals.hpp"

namespace onefold::kernel {

// What a set asks of the windows of an element type.
template <class T, uint32_t set, bool wide>
struct WindowShape {
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs),
                        squares = in.has(Accumulator::sumsq);
  static constexpr bool f64 = sizeof(T) == 8;
  // Windows of x (and of |x| as many), and of squares.
  static constexpr int of_x = !sum && !magnitudes ? 0 : f64 || !squares || wide ? 2 : 1;
  static constexpr int of_squares = !squares ? 0 : (f64 ? 3 : 2) + wide;
  static constexpr int first_square = of_x * (sum + magnitudes);
  static constexpr int count = first_square + of_squares;
  static constexpr int binades = f64         ? (squares && !wide ? 20 : 44)
                                 : !squares  ? 72
                                 : wide      ? 48
                                 : of_x == 0 ? 25
                                             : 24;
  // Anchors are multiples of it, so that the warps of a block mostly agree: where there are binades
  // to spare, coarse ones (a block of lognormal data with many anchors ends in ten times the
  // atomics).
  static constexpr int step = squares && !wide ? 2 : 8;
  // Biased exponents that E may have; elements from 2^cap on are lifted.
  static constexpr int lowest = f64 ? (squares ? 590 : 45) : squares ? 1 : 45;
  static constexpr int highest = f64 ? (squares ? 1530 : 2042) : 255;
  static constexpr int fraction = f64 ? 20 : 23;  // bits below the exponent in the high word
  static constexpr uint32_t cap = f64 && squares ? uint32_t{1529} << 20 : 0x7f800000u;
  // f32 enters as x * 2^-896 where nothing is squared.
  static constexpr int scale = f64 || squares ? 0 : 896;
  static constexpr int bias = f64 ? 1023 : 127;

  // log2 of the unit of window i, and which accumulator it belongs to.
  ONEFOLD_KERNEL static int unit(int i, int e) {
    if (i >= first_square) return 2 * (e - bias) - 48 * (i - first_square + 1);
    const int j = of_x == 1 ? 0 : i % 2;
    return of_x == 1 ? e - bias - 47 : e - bias - 48 * (j + 1);
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) {
    if (i >= first_square) return Accumulator::sumsq;
    return sum && i < of_x ? Accumulator::sum : Accumulator::sumabs;
  }
  ONEFOLD_KERNEL static int position(int i, int e) {
    return unit(i, e) - (i >= first_square ? 2 : 1) * unit_of<T>;
  }
};

template <class M, class T, uint32_t set, int U, int warps, bool wide = false>
struct Windows {
  using Shape = WindowShape<T, set, wide>;
  static constexpr int N = Shape::count;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr int A = K >= 8 ? K / 8 : 1;  // accumulators a window: 8 additions each
  static constexpr int spill_elements = 4096;   // a lane's sums then stay below 2^61
  static constexpr Accumulators lifted =
      Accumulator::sum | Accumulator::sumabs | Accumulator::sumsq | Accumulator::tally;

  // Misfits that a warp lifts before it gives up: an atomic costs as much as tens of elements.
  static constexpr int few = 8, patience = 64;

  int64_t s[N];
  double magics[N];
  uint32_t limit, threshold, out;
  int anchor, held, lifted_so_far;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open(M) {
    set_anchor(0);
    limit = out = 0;
    lifted_so_far = 0;
    some_not_negative_zero = false;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] = 0;
  }

  // Whether the chunk can be added now. What does not fit and is rare has been lifted then, and
  // stands in `out`; false, where it may give up: nothing has happened.
  ONEFOLD_KERNEL bool fits(M m, Words<M, T, set> words, const Chunk<T, U>& c, bool may_give_up) {
    float most = 0;
    uint32_t least = ~0u;
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      most = m.max_or_nan(most, absolute(bit_cast<float>(c.high(k))));
      least = c.magnitude_key(k) < least ? c.magnitude_key(k) : least;
    }
    out = 0;
    const auto top = bit_cast<uint32_t>(most);
    if (!m.any(top >= limit || least < threshold - 1)) return true;
    const uint32_t all = m.redux_max(top);
    if (all < Shape::cap) {
      const int e = quantised(static_cast<int>(all >> Shape::fraction));
      const uint32_t lacking = m.ballot(least < threshold_of(e) - 1);
      if (lacking == 0) {
        spill(m, words);
        set_anchor(e);
        return true;
      }
      if (may_give_up && m.count_bits(lacking) > few) return false;
    } else if (may_give_up && m.count_bits(m.ballot(top >= Shape::cap)) > few) {
      return false;
    }
    const Chunk<T, U> copy = c;
    const Verdict v = judge(m, words, copy, anchor, may_give_up ? patience - lifted_so_far : ~0);
    if (v.bad < 0) return false;
    if (v.anchor != anchor || limit == 0) {
      spill(m, words);
      set_anchor(v.anchor);
    }
    out = v.out;
    lifted_so_far += v.bad;
    return true;
  }

  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, Chunk<T, U>& c) {
    take_out(c, out);
    if (!some_not_negative_zero) some_not_negative_zero = !only_negative_zeros(c);
    double a[N][A];
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      ONEFOLD_UNROLL
      for (int j = 0; j < A; ++j) a[i][j] = magics[i];
    }
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const int j = k % A;
      const double x = number(c, k);
      if constexpr (Shape::sum) add_x(a, 0, j, x);
      if constexpr (Shape::magnitudes) add_x(a, Shape::sum ? Shape::of_x : 0, j, absolute(x));
      if constexpr (Shape::squares) add_square(a, j, x);
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      ONEFOLD_UNROLL
      for (int j = 0; j < A; ++j) s[i] += bits_of_double(a[i][j]) - bits_of_double(magics[i]);
    }
    held += K;
    if (held + K > spill_elements) spill(m, words);
  }

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    if (m.any(some_not_negative_zero) && static_cast<unsigned>(m.lane()) == 0 &&
        Words<M, T, set>::State::has(Accumulator::tally)) {
      words.add(m, Accumulator::tally, accumulator::tally<T>::not_negative_zero, 1);
    }
    block_totals<N, warps>(m, s, anchor, [&](int i, int e, int64_t low, int64_t high) {
      put(m, words, i, e, low, high);
    });
  }

 private:
  ONEFOLD_KERNEL static double number(const Chunk<T, U>& c, int k) {
    if constexpr (Shape::f64) {
      return make_double(c.w[2 * k + 1], c.w[2 * k]);
    } else if constexpr (Shape::scale != 0) {
      return scaled_double(c.w[k]);
    } else {
      return static_cast<double>(bit_cast<float>(c.w[k]));
    }
  }
  ONEFOLD_KERNEL static int quantised(int e) {
    e = (e + Shape::step) & -Shape::step;
    return e < Shape::lowest ? Shape::lowest : e > Shape::highest ? Shape::highest : e;
  }
  // Keys from this on less 1 are those of elements that windows from 2^e down hold.
  ONEFOLD_KERNEL static uint32_t threshold_of(int e) {
    const int bottom = e - Shape::binades;
    return bottom <= 1 ? 1 : static_cast<uint32_t>(bottom) << (Shape::fraction + 1);
  }
  ONEFOLD_KERNEL void set_anchor(int e) {
    anchor = e < Shape::lowest ? Shape::lowest : e;
    const int top = anchor < 0x7f800000 >> Shape::fraction ? anchor : 0x7f800000 >> Shape::fraction;
    limit = static_cast<uint32_t>(top) << Shape::fraction;
    threshold = threshold_of(anchor);
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) magics[i] = magic(Shape::unit(i, anchor) + 1075 - Shape::scale);
    held = 0;
  }

  template <class Array>
  ONEFOLD_KERNEL static void add_x(Array& a, int first, int j, double x) {
    if constexpr (Shape::of_x == 2) x = take(a[first][j], x);
    a[first + Shape::of_x - 1][j] += x;
  }
  template <class Array>
  ONEFOLD_KERNEL static void add_square(Array& a, int j, double x) {
    constexpr int q = Shape::first_square;
    if constexpr (Shape::f64) {
      double p = x * x;
      double e = fused(x, x, -p);
      p = take(a[q][j], p);
      if constexpr (wide) {
        p = take(a[q + 1][j], p);
        e = take(a[q + 1][j], e);
        a[q + 2][j] += p;
        e = take(a[q + 2][j], e);
      } else {
        a[q + 1][j] += p;
        e = take(a[q + 1][j], e);
      }
      a[q + Shape::of_squares - 1][j] += e;
    } else {
      const double t = fused(x, x, a[q][j]);
      double r = fused(x, x, -(t - a[q][j]));
      a[q][j] = t;
      if constexpr (wide) r = take(a[q + 1][j], r);
      a[q + Shape::of_squares - 1][j] += r;
    }
  }

  // What to do with a chunk that does not fit: an anchor, how many of the warp's elements do not
  // fit it (-1: more than may be lifted), and this lane's, which have been lifted.
  struct Verdict {
    int anchor, bad;
    uint32_t out;
  };
  ONEFOLD_KERNEL_COLD static Verdict judge(M m, Words<M, T, set> words, const Chunk<T, U>& c,
                                           int anchor, int patience) {
    uint32_t top = 0;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t h = c.high(k) & 0x7fffffffu;
      if (h < Shape::cap && h > top) top = h;
    }
    const int wanted = quantised(static_cast<int>(m.redux_max(top) >> Shape::fraction));
    Verdict v{.anchor = wanted > anchor ? wanted : anchor, .bad = 0, .out = 0};
    ONEFOLD_NO_UNROLL
    for (;;) {
      v.out = 0;
      ONEFOLD_NO_UNROLL
      for (int k = 0; k < K; ++k) {
        const bool bad = (c.high(k) & 0x7fffffffu) >= Shape::cap ||
                         c.magnitude_key(k) < threshold_of(v.anchor) - 1;
        v.out |= (bad ? 1u : 0u) << k;
      }
      v.bad = m.redux_add(m.count_bits(v.out));
      if (v.bad <= few || v.anchor == wanted) break;
      v.anchor = wanted;
    }
    if (patience >= 0 && (v.bad > few || v.bad > patience)) {
      v.bad = -1;
      return v;
    }
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      if (v.out >> k & 1) lift<lifted.bits & set>(m, words, c.element(k), T{});
    }
    return v;
  }

  ONEFOLD_KERNEL_COLD static void put(M m, Words<M, T, set> words, int i, int e, int64_t low,
                                      int64_t high) {
    words.deposit(m, Shape::accumulator(i), low, Shape::position(i, e));
    words.deposit(m, Shape::accumulator(i), high, Shape::position(i, e) + 44);
  }
  ONEFOLD_KERNEL void spill(M m, Words<M, T, set> words) {
    if (held == 0) return;
    held = 0;
    warp_totals<N>(m, s,
                   [&](int i, int64_t low, int64_t high) { put(m, words, i, anchor, low, high); });
  }
};

}  // namespace onefold::kernel
