// Sums of products of two arrays of f32 or f64: exact, by windows as in windows.hpp.
//
//   range    of each array by its own anchor: every element is 0 or has 2^(E-D) <= |x| < 2^E, so
//            that products are below 2^(Ex + Ey) and their lowest bit is known
//   f32      x * y is exact in f64 and enters by fma: 2 windows, D = 25
//   f64      p = x * y rounded and its error e = fma(x, y, -p): 3 windows, D = 20; Ex and Ey are
//            limited so that neither over- nor underflows
//   misfits  an anchor moves where more than 8 pairs of a warp's chunk do not fit; what then does
//            not, NaN and infinities are lifted one by one, and count as -0 * +0 here
#pragma once

#include "onefold/kernel/lift.hpp"
#include "onefold/kernel/thread/reach.hpp"
#include "onefold/kernel/totals.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct Products {
  static constexpr bool f64 = sizeof(T) == 8;
  static constexpr int N = f64 ? 3 : 2, binades = f64 ? 20 : 25;
  static constexpr int lowest = f64 ? 590 : 1, highest = f64 ? 1530 : 255;
  static constexpr int fraction = f64 ? 20 : 23;  // bits below the exponent in the high word
  static constexpr uint32_t cap = f64 ? uint32_t{1529} << 20 : 0x7f800000u;
  static constexpr int bias = f64 ? 1023 : 127;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr int A = K >= 8 ? K / 8 : 1;  // accumulators a window: 8 additions each
  static constexpr int spill_elements = 4096;   // a lane's sums then stay below 2^61
  static constexpr uint32_t few = 8;

  using Reach = kernel::Reach<M, T, U, false>;
  // Which elements of an array windows hold.
  struct Span {
    int anchor;
    uint32_t limit, floor;  // of magnitudes by their high words

    ONEFOLD_KERNEL void set_anchor(int e) {
      anchor = e;
      const int top = e < 0x7f800000 >> fraction ? e : 0x7f800000 >> fraction;
      limit = static_cast<uint32_t>(top) << fraction;
      floor = e - binades <= 1 ? 0 : static_cast<uint32_t>(e - binades) << fraction;
    }
    ONEFOLD_KERNEL static uint32_t threshold_of(int e) {
      return e - binades <= 1 ? 1 : static_cast<uint32_t>(e - binades) << (fraction + 1);
    }
    // Where it has zeros it may only seem so.
    ONEFOLD_KERNEL bool lacks(const Reach& r) const {
      return r.top() >= limit || bit_cast<uint32_t>(r.least) < floor;
    }
    ONEFOLD_KERNEL bool lacks(uint32_t top, uint32_t least) const {
      return top >= limit || least < threshold_of(anchor) - 1;
    }
  };

  Span of_x, of_y;
  uint64_t s[N];  // as in windows.hpp
  double magics[N];
  int held;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open(M) {
    set_anchors(lowest, lowest);
    of_x.limit = 0;
    some_not_negative_zero = false;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] = 0;
  }

  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, Chunk<T, U> x, Chunk<T, U> y) {
    const Reach rx = Reach::of(m, x), ry = Reach::of(m, y);
    if (m.any(of_x.lacks(rx) || of_y.lacks(ry))) fit(m, words, x, y, rx.top(), ry.top());
    if (!some_not_negative_zero) {
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) {
        const bool zero = x.magnitude_key(k) == ~0u || y.magnitude_key(k) == ~0u;
        some_not_negative_zero |= !zero || (x.high(k) ^ y.high(k)) >> 31 == 0;
      }
    }
    double a[N][A];
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      ONEFOLD_UNROLL
      for (int j = 0; j < A; ++j) a[i][j] = magics[i];
    }
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const int j = k % A;
      const double u = number(x, k), v = number(y, k);
      if constexpr (f64) {
        double p = u * v;
        double e = fused(u, v, -p);
        p = take(a[0][j], p);
        a[1][j] += p;
        e = take(a[1][j], e);
        a[2][j] += e;
      } else {
        const double t = fused(u, v, a[0][j]);
        const double r = fused(u, v, -(t - a[0][j]));
        a[0][j] = t;
        a[1][j] += r;
      }
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      ONEFOLD_UNROLL
      for (int j = 0; j < A; ++j) s[i] += bit_cast<uint64_t>(a[i][j]);
    }
    held += K;
    if (held + K > spill_elements) spill(m, words);
  }

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    if (m.any(some_not_negative_zero) && static_cast<unsigned>(m.lane()) == 0) {
      words.add(m, Accumulator::dot, accumulator::dot<T>::not_negative_zero, 1);
    }
    int64_t total[N];
    take_totals(total);
    block_totals<N, warps>(
        m, total, of_x.anchor + of_y.anchor,
        [&](int i, int e, int64_t low, int64_t high) { put(m, words, i, e, low, high); });
  }

 private:
  ONEFOLD_KERNEL static double number(const Chunk<T, U>& c, int k) {
    if constexpr (f64) {
      return make_double(c.w[2 * k + 1], c.w[2 * k]);
    } else {
      return static_cast<double>(bit_cast<float>(c.w[k]));
    }
  }
  ONEFOLD_KERNEL static void clear(Chunk<T, U>& c, int k, uint32_t high) {
    if constexpr (f64) {
      c.w[2 * k] = 0;
      c.w[2 * k + 1] = high;
    } else {
      c.w[k] = high;
    }
  }

  // log2 of the unit of window i, of anchors that sum up to e.
  ONEFOLD_KERNEL static int unit(int i, int e) { return e - 2 * bias - 48 * (i + 1); }
  ONEFOLD_KERNEL static int quantised(uint32_t top) {
    const int e = (static_cast<int>(top >> fraction) + 2) & ~1;
    return e < lowest ? lowest : e > highest ? highest : e;
  }
  ONEFOLD_KERNEL void set_anchors(int x, int y) {
    of_x.set_anchor(x);
    of_y.set_anchor(y);
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) magics[i] = magic(unit(i, x + y) + 1075);
    held = 0;
  }

  // Anchors that hold the chunks but for pairs that are lifted and taken out. The tops are of this
  // lane, a NaN being greater than all.
  ONEFOLD_KERNEL void fit(M m, Words<M, T, set> words, Chunk<T, U>& x, Chunk<T, U>& y,
                          uint32_t top_x, uint32_t top_y) {
    const uint32_t least_x = least_magnitude_key(x), least_y = least_magnitude_key(y);
    if (!m.any(of_x.lacks(top_x, least_x) || of_y.lacks(top_y, least_y))) return;
    top_x = m.redux_max(top_x);
    top_y = m.redux_max(top_y);
    if (top_x < cap && top_y < cap) {
      const int ex = quantised(top_x), ey = quantised(top_y);
      if (!m.any(least_x < Span::threshold_of(ex) - 1 || least_y < Span::threshold_of(ey) - 1)) {
        spill(m, words);
        set_anchors(ex, ey);
        return;
      }
    }
    const Chunk<T, U> a = x, b = y;
    const Verdict v = judge(m, words, a, b, of_x.anchor, of_y.anchor);
    if (v.x != of_x.anchor || v.y != of_y.anchor || of_x.limit == 0) {
      spill(m, words);
      set_anchors(v.x, v.y);
    }
    if (v.out == 0) return;
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      if (v.out >> k & 1) {
        clear(x, k, 0x80000000u);
        clear(y, k, 0);
      }
    }
  }
  // What to do with a chunk that does not fit: anchors, and this lane's pairs that do not fit them,
  // which have been lifted.
  struct Verdict {
    int x, y;
    uint32_t out;
  };
  ONEFOLD_KERNEL_COLD static Verdict judge(M m, Words<M, T, set> words, const Chunk<T, U>& x,
                                           const Chunk<T, U>& y, int anchor_x, int anchor_y) {
    uint32_t top_x = 0, top_y = 0;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t h = x.high(k) & 0x7fffffffu, i = y.high(k) & 0x7fffffffu;
      if (h < cap && h > top_x) top_x = h;
      if (i < cap && i > top_y) top_y = i;
    }
    const int wanted_x = quantised(m.redux_max(top_x)), wanted_y = quantised(m.redux_max(top_y));
    Verdict v{.x = wanted_x > anchor_x ? wanted_x : anchor_x,
              .y = wanted_y > anchor_y ? wanted_y : anchor_y,
              .out = 0};
    ONEFOLD_NO_UNROLL
    for (;;) {
      v.out = 0;
      ONEFOLD_NO_UNROLL
      for (int k = 0; k < K; ++k) {
        const bool bad = (x.high(k) & 0x7fffffffu) >= cap || (y.high(k) & 0x7fffffffu) >= cap ||
                         x.magnitude_key(k) < Span::threshold_of(v.x) - 1 ||
                         y.magnitude_key(k) < Span::threshold_of(v.y) - 1;
        v.out |= (bad ? 1u : 0u) << k;
      }
      const uint32_t bad = m.redux_add(static_cast<uint32_t>(m.count_bits(v.out)));
      if (bad <= few || (v.x == wanted_x && v.y == wanted_y)) break;
      v.x = wanted_x;
      v.y = wanted_y;
    }
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      if (v.out >> k & 1) {
        lift<Accumulators(Accumulator::dot).bits>(m, words, x.element(k), y.element(k));
      }
    }
    return v;
  }

  ONEFOLD_KERNEL_COLD static void put(M m, Words<M, T, set> words, int i, int e, int64_t low,
                                      int64_t high) {
    const int position = unit(i, e) - accumulator::dot<T>::unit;
    words.deposit(m, Accumulator::dot, low, position);
    words.deposit(m, Accumulator::dot, high, position + 44);
  }
  ONEFOLD_KERNEL void spill(M m, Words<M, T, set> words) {
    if (held == 0) return;
    int64_t total[N];
    take_totals(total);
    warp_totals<N>(m, total, [&](int i, int64_t low, int64_t high) {
      put(m, words, i, of_x.anchor + of_y.anchor, low, high);
    });
  }
  // The lane's sums; they are 0 then.
  ONEFOLD_KERNEL void take_totals(int64_t (&total)[N]) {
    const auto flushed = static_cast<uint32_t>(held) / K * A;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) {
      total[i] = static_cast<int64_t>(s[i] - flushed * bit_cast<uint64_t>(magics[i]));
      s[i] = 0;
    }
    held = 0;
  }
};

}  // namespace onefold::kernel
