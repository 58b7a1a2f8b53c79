// Sums f32 and f64, their magnitudes and squares, exactly, in f64 registers.
//
//   idea     A chunk is taken only if each of its elements is 0 or has 2^(E-D) <= |x| < 2^E. Then
//            the lowest bit of every term is known, windows of 48 bits from 2^E down
//            hold all terms, and no bit is lost.
//   window   a = M + (multiples of its unit), M = 1.5 * 2^52 units. t = a + x; x -= t - a; a = t
//            moves what x has above half a unit; the last window takes the rest by one addition.
//            8 additions of at most 2^48 units keep a within M's binade, where all is exact.
//   squares  f32: x * x is exact in f64; an fma adds it. f64: p = x * x rounded and its error
//            e = fma(x, x, -p) are both added; E is limited so that neither over- nor underflows.
//   flush    after each chunk, by integers: s += bits(a); readers of s subtract the bits(M) in it
//   misfits  move the anchor. If only a few elements of a warp's chunk do not fit (NaN, infinities,
//            outliers), they are lifted and replaced by 0. A chunk with more of them is listed for
//            a later launch (lists.hpp), or all of it is lifted if no launch follows
//   wide     squares get one window more, D = 44 for f64 and 48 for f32: for the second launch
//   source   bench/results/gpu_whole.md, an H200: f64 units 2^(E - 48 (i + 1)), D = 44 for sums,
//            20 with squares; f32 D = 72 for sums alone, 24 with squares, 25 for squares alone
#pragma once

#include "onefold/cuda/kernel/feed/anchored.hpp"
#include "onefold/cuda/kernel/feed/reach.hpp"
#include "onefold/cuda/kernel/feed/window_shape.hpp"
#include "onefold/cuda/kernel/feed/window_steps.hpp"
#include "onefold/cuda/kernel/words.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, int U, int warps, bool wide = false>
struct Windows : AnchorFeed<Windows<M, T, set, U, warps, wide>, WindowShape<T, set, wide>, M, T,
                            set, U, warps> {
  using Shape = WindowShape<T, set, wide>;
  using Base = AnchorFeed<Windows, Shape, M, T, set, U, warps>;
  static constexpr int N = Shape::count;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr int additions = K < 8 ? K : 8;  // additions to a window between two flushes
  static constexpr int spill_elements = 4096;      // so that a lane's sums stay within 2^60
  static constexpr Accumulators lifted =
      Accumulator::sum | Accumulator::sumabs | Accumulator::sumsq | Accumulator::tally;

  static constexpr uint32_t one = uint32_t{1} << Shape::fraction;
  static_assert(Shape::highest <= 0x7f800000 / static_cast<int>(one));

  // `few`: at most so many lanes may have misfits; `patience`: so many elements a warp lifts before
  // it leaves the rest to a later launch, since an atomic takes as long as tens of elements. Both
  // are smaller if wider windows follow (lognormal sumsq of f32: 0.94 of a plain read, and 0.87
  // with 8 and 64).
  static constexpr bool soon = Shape::squares && !wide;
  static constexpr int few = soon ? 2 : 8, patience = soon ? 16 : 64;

  uint64_t s[N];  // the sum of the windows' bits, with those of their magic numbers
  double magics[N];
  uint32_t limit;  // the anchor as a high word; 0: none yet
  int held, lifted_so_far;
  bool some_not_negative_zero, spilled;

  // Returns the anchor with which all warps begin: above a sample's largest element, whose high
  // word is `top`, by as many binades as can be spared.
  ONEFOLD_KERNEL static int anchor_above(uint32_t top) {
    constexpr int room = Shape::binades > 64 ? 8 : Shape::binades > 32 ? 2 : 1;
    return quantised(static_cast<int>(top >> Shape::fraction) + room);
  }
  ONEFOLD_KERNEL int stand() const { return anchor(); }
  // The distance of two windows' units, in bits; whether the totals are one sum of all windows.
  static constexpr int apart = 48;
  static constexpr bool one_sum = N <= 2 && Shape::sum + Shape::magnitudes + Shape::squares == 1;

  ONEFOLD_KERNEL void open(M) {
    open_at(Shape::lowest);
    limit = 0;
  }
  ONEFOLD_KERNEL void open_at(int e) {
    set_anchor(e);
    lifted_so_far = 0;
    spilled = false;
    some_not_negative_zero = false;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] = 0;
  }

  // Returns whether a chunk fits the present anchor.
  template <class Reach>
  ONEFOLD_KERNEL bool fits(M m, const Chunk<T, U>& c, const Reach& reach) const {
    constexpr uint32_t span = uint32_t{Shape::binades} << Shape::fraction, least = span + one;
    const uint32_t floor = (limit > least ? limit : least) - span, top = reach.top();
    if (!m.any(top >= limit || bit_cast<uint32_t>(reach.least) < floor)) return true;
    return !m.any(top >= limit || least_magnitude_key(c) < threshold_of(anchor()) - 1);
  }
  template <class Reach>
  ONEFOLD_KERNEL Fit fit(M m, Words<M, T, set> words, const Chunk<T, U>& c, const Reach& reach,
                         bool may_give_up) {
    if (fits(m, c, reach)) return Fit::yes;
    const uint32_t key = least_magnitude_key(c), top = reach.top();
    return this->fit_to(
        m, words, top, Shape::cap, [&](int e) { return key < threshold_of(e) - 1; }, may_give_up,
        few);
  }
  // Lifts the elements that do not fit, and replaces them by -0. Returns false if there are too
  // many; then nothing has changed.
  template <class See>
  ONEFOLD_KERNEL bool make_fit(M m, Words<M, T, set> words, Chunk<T, U>& c, bool may_give_up,
                               See see) {
    const AnchorChoice v =
        choose_anchor(m, words, c, anchor(), may_give_up ? patience - lifted_so_far : ~0);
    if (v.bad < 0) return false;
    if (v.anchor != anchor()) {
      this->move_to(m, words, v.anchor);
    }
    lifted_so_far += v.bad;
    see();
    take_out(c, v.out);
    return true;
  }

  // rare: a loop instead of unrolled code, for a chunk that need not be in registers.
  template <bool rare = false>
  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, const Chunk<T, U>& c) {
    if (!some_not_negative_zero) some_not_negative_zero = !only_negative_zeros(c);
    Base::template add<rare>(m, words, c);
  }

  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    if constexpr (Shape::in.has(Accumulator::tally)) leave_tally(m, words);
    Base::close(m, words);
  }

  ONEFOLD_KERNEL_COLD static void put_all(M m, Words<M, T, set> words, typename Base::Totals total,
                                          int e) {
    warp_totals<N>(m, total.s,
                   [&](int i, int64_t low, int64_t high) { Base::put(m, words, i, e, low, high); });
  }
  // Adds to the tally whether some element is neither NaN nor -0.
  ONEFOLD_KERNEL void leave_tally(M m, Words<M, T, set> words) const {
    if (m.any(some_not_negative_zero) && static_cast<unsigned>(m.lane()) == 0) {
      words.add(m, Accumulator::tally, accumulator::tally<T>::not_negative_zero, 1);
    }
  }
  ONEFOLD_KERNEL static double number(const Chunk<T, U>& c, int k) {
    if constexpr (Shape::f64) {
      return make_double(c.w[2 * k + 1], c.w[2 * k]);
    } else {
      return static_cast<double>(bit_cast<float>(c.w[k]));
    }
  }
  // Adds the elements from j on, as many as a window may take between flushes.
  ONEFOLD_KERNEL void add_from(const Chunk<T, U>& c, int j) {
    double a[N];
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) a[i] = magics[i];
    ONEFOLD_UNROLL
    for (int k = j; k < j + additions; ++k) {
      const double x = number(c, k);
      if constexpr (Shape::sum && Shape::magnitudes && Shape::of_x == 2) {
        // |x| is split at the same bit as x.
        const double t = a[0] + x, upper = t - a[0], rest = x - upper;
        a[0] = t;
        a[1] += rest;
        a[2] += absolute(upper);
        a[3] += times_sign_of(rest, x);
      } else {
        if constexpr (Shape::sum) add_number<Shape>(a, 0, x);
        if constexpr (Shape::magnitudes) {
          add_number<Shape>(a, Shape::sum ? Shape::of_x : 0, absolute(x));
        }
      }
      if constexpr (Shape::squares) add_square<Shape, wide>(a, x);
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] += bit_cast<uint64_t>(a[i]);
  }
  ONEFOLD_KERNEL static int anchor_for(uint32_t top) {
    return quantised(static_cast<int>(top >> Shape::fraction));
  }
  ONEFOLD_KERNEL void set_anchor(int e) {
    limit = static_cast<uint32_t>(e) * one;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) magics[i] = magic(Shape::unit(i, e) + 1075);
    held = 0;
  }

 private:
  ONEFOLD_KERNEL static int quantised(int e) {
    e = (e + Shape::step) & -Shape::step;
    return e < Shape::lowest ? Shape::lowest : e > Shape::highest ? Shape::highest : e;
  }
  // Windows from 2^e down cannot hold an element whose key is below the returned number minus 1.
  ONEFOLD_KERNEL static uint32_t threshold_of(int e) {
    const int bottom = e - Shape::binades;
    return bottom <= 1 ? 1 : static_cast<uint32_t>(bottom) * 2 * one;
  }
  ONEFOLD_KERNEL int anchor() const { return static_cast<int>(limit / one); }

  // What to do with a chunk that does not fit: the new anchor; how many of the warp's elements do
  // not fit below it either (-1: too many to lift); which of this lane's elements those are.
  struct AnchorChoice {
    int anchor, bad;
    uint32_t out;
  };
  ONEFOLD_KERNEL_COLD static AnchorChoice choose_anchor(M m, Words<M, T, set> words,
                                                        const Chunk<T, U>& c, int anchor,
                                                        int patience) {
    uint32_t top = 0;
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t h = c.high(k) & 0x7fffffffu;
      if (h < Shape::cap && h > top) top = h;
    }
    const int wanted = anchor_for(m.redux_max(top));
    AnchorChoice v{.anchor = wanted > anchor ? wanted : anchor, .bad = 0, .out = 0};
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
};

}  // namespace onefold::kernel
