// Sums products of two arrays of floats, exactly, in windows like those of windows.hpp.
//
//   range    each array has an anchor: every element is 0 or has 2^(E-D) <= |x| < 2^E. So products
//            are below 2^(Ex + Ey), and the weight of their lowest bit is known
//   f32      x * y is exact in f64; an fma adds it: 2 windows, D = 25
//   halves   as f32. bf16 has products of 16 bits, D = 40; f16 has one anchor for all chunks
//   f64      p = x * y rounded and its error e = fma(x, y, -p): 3 windows, D = 20; Ex and Ey are
//            limited so that neither over- nor underflows
//   misfits  as in windows.hpp: pairs that are lifted are replaced by -0 and +0
#pragma once

#include "onefold/cuda/kernel/feed/anchored.hpp"
#include "onefold/cuda/kernel/feed/product_span.hpp"
#include "onefold/cuda/kernel/feed/reach.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps>
struct Products {
  static constexpr bool f64 = sizeof(T) == 8;
  static constexpr bool fixed = dtype_of<T> == DType::f16;
  static constexpr int N = f64 ? 3 : 2, binades = f64 ? 20 : fixed ? 150 : sizeof(T) == 2 ? 40 : 25;
  static constexpr int lowest = f64     ? 590
                                : fixed ? 143
                                        : 1,
                       highest = f64     ? 1530
                                 : fixed ? 143
                                         : 255;
  static constexpr int fraction = f64 ? 20 : 23;  // bits of the high word below the exponent
  static constexpr uint32_t cap = f64 ? uint32_t{1529} << 20 : 0x7f800000u;
  static constexpr int bias = f64 ? 1023 : 127;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr int additions = K < 8 ? K : 8;  // additions to a window between two flushes
  static constexpr int spill_elements = 4096;      // so that a lane's sums stay below 2^61
  static constexpr int few = 2, patience = 16;     // as in windows.hpp

  using Reach = kernel::Reach<M, T, U, false>;
  using Span = ProductSpan<fraction, binades>;

  Span of_x, of_y;
  uint64_t s[N];  // as in windows.hpp
  double magics[N];
  int held, lifted_so_far;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open(M) {
    set_anchors(lowest, lowest);
    if constexpr (!fixed) of_x.limit = 0;
    lifted_so_far = 0;
    some_not_negative_zero = false;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] = 0;
  }

  ONEFOLD_KERNEL Fit fit(M m, Words<M, T, set> words, const Chunk<T, U>& x, const Chunk<T, U>& y,
                         bool may_give_up) {
    if constexpr (fixed) {
      uint32_t z = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < x.words; ++k) z = poison<T>(y.w[k], poison<T>(x.w[k], z));
      const uint32_t special = m.ballot((z & 0x7fff7fffu) != 0);
      if (special == 0) return Fit::yes;
      return may_give_up && m.count_bits(special) > few ? Fit::no : Fit::partly;
    } else {
      uint32_t top_x, top_y, least_x, least_y;
      if constexpr (sizeof(T) == 2) {
        look(m, x, top_x, least_x);
        look(m, y, top_y, least_y);
      } else {
        const Reach rx = Reach::of(m, x), ry = Reach::of(m, y);
        if (!m.any(of_x.lacks(rx) || of_y.lacks(ry))) return Fit::yes;
        least_x = least_magnitude_key(x);
        least_y = least_magnitude_key(y);
        top_x = rx.top();
        top_y = ry.top();
      }
      if (!m.any(of_x.lacks(top_x, least_x) || of_y.lacks(top_y, least_y))) return Fit::yes;
      const uint32_t all_x = m.redux_max(top_x), all_y = m.redux_max(top_y);
      if (all_x < cap && all_y < cap) {
        const int ex = quantised(all_x), ey = quantised(all_y);
        const uint32_t lacking =
            m.ballot(least_x < Span::threshold_of(ex) - 1 || least_y < Span::threshold_of(ey) - 1);
        if (lacking == 0) {
          spill(m, words);
          set_anchors(ex, ey);
          return Fit::moved;
        }
        return may_give_up && m.count_bits(lacking) > few ? Fit::no : Fit::partly;
      }
      const uint32_t special = m.ballot(top_x >= cap || top_y >= cap);
      return may_give_up && m.count_bits(special) > few ? Fit::no : Fit::partly;
    }
  }
  // Lifts the pairs that do not fit, and replaces them by -0 and +0; calls `see` before. Returns
  // false if there are too many; then nothing has changed.
  template <class See>
  ONEFOLD_KERNEL bool make_fit(M m, Words<M, T, set> words, Chunk<T, U>& x, Chunk<T, U>& y,
                               bool may_give_up, See see) {
    const AnchorChoice v = choose_anchor(m, x, y, of_x.anchor, of_y.anchor,
                                         may_give_up ? patience - lifted_so_far : ~0);
    if (v.bad < 0) return false;
    if (v.x != of_x.anchor || v.y != of_y.anchor || of_x.limit == 0) {
      spill(m, words);
      set_anchors(v.x, v.y);
    }
    lifted_so_far += v.bad;
    see();
    lift_out(m, words, x, y, v.out);
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      if ((v.out >> k & 1) == 0) continue;
      x.set(k, bits_of<T>{1} << (8 * sizeof(T) - 1));
      y.set(k, 0);
    }
    return true;
  }

  // rare: a loop instead of unrolled code, for chunks that need not be in registers.
  template <bool rare = false>
  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, const Chunk<T, U>& x, const Chunk<T, U>& y) {
    if (!some_not_negative_zero) {
      // Most often the first pair already decides.
      some_not_negative_zero = !is_negative_zero(x, y, 0);
      if (!some_not_negative_zero) {
        ONEFOLD_UNROLL
        for (int k = 1; k < K; ++k) some_not_negative_zero |= !is_negative_zero(x, y, k);
      }
    }
    if constexpr (rare) {
      ONEFOLD_NO_UNROLL
      for (int j = 0; j < K; j += additions) add_from(x, y, j);
    } else {
      ONEFOLD_UNROLL
      for (int j = 0; j < K; j += additions) add_from(x, y, j);
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

  // Adds the lanes' sums to the words, and clears them.
  ONEFOLD_KERNEL void spill(M m, Words<M, T, set> words) {
    if (held == 0) return;
    int64_t total[N];
    take_totals(total);
    warp_totals<N>(m, total, [&](int i, int64_t low, int64_t high) {
      put(m, words, i, of_x.anchor + of_y.anchor, low, high);
    });
  }

 private:
  ONEFOLD_KERNEL static double number(const Chunk<T, U>& c, int k) {
    if constexpr (f64) {
      return make_double(c.w[2 * k + 1], c.w[2 * k]);
    } else {
      return static_cast<double>(bit_cast<float>(c.high(k)));
    }
  }
  // Adds the pairs from j on, as many as a window may take between flushes.
  ONEFOLD_KERNEL void add_from(const Chunk<T, U>& x, const Chunk<T, U>& y, int j) {
    double a[N];
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) a[i] = magics[i];
    ONEFOLD_UNROLL
    for (int k = j; k < j + additions; ++k) {
      const double u = number(x, k), v = number(y, k);
      if constexpr (f64) {
        double p = u * v;
        double e = fused(u, v, -p);
        p = take(a[0], p);
        a[1] += p;
        e = take(a[1], e);
        a[2] += e;
      } else {
        const double t = fused(u, v, a[0]);
        a[1] += fused(u, v, -(t - a[0]));
        a[0] = t;
      }
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] += bit_cast<uint64_t>(a[i]);
  }
  // For bf16: finds the greatest magnitude as f32, and the least key of magnitudes.
  ONEFOLD_KERNEL static void look(M m, const Chunk<T, U>& c, uint32_t& top, uint32_t& key) {
    const EndsOfHalves ends = ends_of_halves(m, c);
    top = ends.top << 16;
    key = ((ends.bottom + 1) << 17) - 1;
  }

  // Returns log2 of the unit of window i, if the two anchors add up to e.
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

  // What to do with a chunk that does not fit: the new anchors; how many of the warp's pairs do not
  // fit below them either (-1: too many to lift); which of this lane's pairs those are.
  struct AnchorChoice {
    int x, y, bad;
    uint32_t out;
  };
  ONEFOLD_KERNEL_COLD static AnchorChoice choose_anchor(M m, const Chunk<T, U>& x,
                                                        const Chunk<T, U>& y, int anchor_x,
                                                        int anchor_y, int patience) {
    uint32_t top_x = 0, top_y = 0;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t h = x.high(k) & 0x7fffffffu, i = y.high(k) & 0x7fffffffu;
      if (h < cap && h > top_x) top_x = h;
      if (i < cap && i > top_y) top_y = i;
    }
    const int wanted_x = quantised(m.redux_max(top_x)), wanted_y = quantised(m.redux_max(top_y));
    AnchorChoice v{.x = wanted_x > anchor_x ? wanted_x : anchor_x,
                   .y = wanted_y > anchor_y ? wanted_y : anchor_y,
                   .bad = 0,
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
      v.bad = m.redux_add(m.count_bits(v.out));
      if (v.bad <= few || (v.x == wanted_x && v.y == wanted_y)) break;
      v.x = wanted_x;
      v.y = wanted_y;
    }
    if (patience >= 0 && (v.bad > few || v.bad > patience)) {
      v.bad = -1;
      return v;
    }
    return v;
  }
  // Lifts the pairs whose bits in `out` are set, one by one.
  ONEFOLD_KERNEL_COLD static void lift_out(M m, Words<M, T, set> words, const Chunk<T, U>& x,
                                           const Chunk<T, U>& y, uint32_t out) {
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      if (out >> k & 1) {
        lift<Accumulators(Accumulator::dot).bits>(m, words, x.element(k), y.element(k));
      }
    }
  }

  ONEFOLD_KERNEL_COLD static void put(M m, Words<M, T, set> words, int i, int e, int64_t low,
                                      int64_t high) {
    const int position = unit(i, e) - accumulator::dot<T>::unit;
    words.deposit(m, Accumulator::dot, low, position);
    words.deposit(m, Accumulator::dot, high, position + 44);
  }
  // Returns the lane's sums, and clears them.
  ONEFOLD_KERNEL void take_totals(int64_t (&total)[N]) {
    take_windows(s, magics, held / additions, total);
    held = 0;
  }
};

}  // namespace onefold::kernel
