// Sums f16 and bf16, their magnitudes and squares, exactly, in f64 registers.
//
//   window   an f64, as in windows.hpp: M + (multiples of its unit), flushed to integers each chunk
//   f16      every value is a multiple of 2^-24 below 2^16, every square one of 2^-48 below 2^32:
//            so the units are fixed, and every chunk fits
//   bf16     a chunk is taken only if each of its elements is 0 or has 2^(E-40) <= |x| < 2^E, which
//            packed instructions check for two at once: x is then a multiple of 2^(E-47)
//   sums     one addition an element; 16 additions of at most 2^47 units stay within M's binade
//   squares  an fma adds x * x; what is below half a unit goes to a second window, 48 bits
//            lower
//   entry    a conversion makes an f64: one instruction of a unit that is idle otherwise, not three
//            integer instructions
//   misfits  move the anchor; if only a few elements of a warp's chunk do not fit, they are lifted
//   source   bench/results/gpu_whole.md, an H200: f16 and bf16 by one f64 register
#pragma once

#include "onefold/cuda/kernel/feed/anchored.hpp"
#include "onefold/cuda/kernel/feed/misfits.hpp"
#include "onefold/cuda/kernel/feed/tally.hpp"

namespace onefold::kernel {

template <class T, uint32_t set>
struct HalfShape {
  static constexpr Accumulators in{set};
  static constexpr bool sum = in.has(Accumulator::sum), magnitudes = in.has(Accumulator::sumabs),
                        squares = in.has(Accumulator::sumsq);
  static constexpr bool fixed = dtype_of<T> == DType::f16;
  static constexpr int first_square = sum + magnitudes, count = first_square + 2 * squares;
  static constexpr int binades = 40;

  // Returns log2 of the unit of window i, for E = e - 127.
  ONEFOLD_KERNEL static int unit(int i, int e) {
    if (i >= first_square) {
      const int second = i - first_square;
      return fixed ? -15 - 33 * second : 2 * (e - 127) - 47 - 48 * second;
    }
    return fixed ? -24 : e - 127 - 47;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int i) {
    if (i >= first_square) return Accumulator::sumsq;
    return sum && i == 0 ? Accumulator::sum : Accumulator::sumabs;
  }
  ONEFOLD_KERNEL static int position(int i, int e) {
    return unit(i, e) - (i >= first_square ? 2 : 1) * unit_of<T>;
  }
};

template <class M, class T, uint32_t set, int U, int warps>
struct Halves : AnchorFeed<Halves<M, T, set, U, warps>, HalfShape<T, set>, M, T, set, U, warps> {
  using Shape = HalfShape<T, set>;
  using Base = AnchorFeed<Halves, Shape, M, T, set, U, warps>;
  static constexpr int N = Shape::count, K = Chunk<T, U>::elements;
  static constexpr int additions = K < 16 ? K : 16;  // additions to a window between two flushes
  static constexpr uint32_t infinity = 0x7f80;       // the bits of bf16's infinity
  static constexpr int spill_elements = 1 << 13;     // each of at most 2^47 units
  static constexpr Accumulators lifted{
      set &
      (Accumulator::sum | Accumulator::sumabs | Accumulator::sumsq | Accumulator::tally).bits};

  uint64_t s[N];  // as in windows.hpp
  double magics[N];
  uint32_t limit;
  int anchor, held, lifted_so_far;
  bool spilled;

  ONEFOLD_KERNEL void open() {
    open_at(0);
    limit = 0;
  }
  ONEFOLD_KERNEL void open_at(int e) {
    set_anchor(e);
    lifted_so_far = 0;
    spilled = false;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] = 0;
  }

  // Has the same meaning as in windows.hpp; end/sums.hpp calls it.
  ONEFOLD_KERNEL static int anchor_above(uint32_t top) {
    return Shape::fixed ? 1 : quantised(static_cast<int>(top >> 7) + 2);
  }
  ONEFOLD_KERNEL int stand() const { return anchor; }
  static constexpr int apart = Shape::fixed ? 33 : 48;
  static constexpr bool one_sum = Shape::sum + Shape::magnitudes + Shape::squares == 1;

  template <class Reach>
  ONEFOLD_KERNEL bool fits(M m, const Chunk<T, U>& c, const Reach&) const {
    const auto [top, bottom] = ends_of_halves(m, c);
    return !m.any(top >= limit || bottom < threshold_of(anchor) - 1);
  }
  template <class Reach>
  ONEFOLD_KERNEL Fit fit(M m, Words<M, T, set> words, const Chunk<T, U>& c, const Reach&,
                         bool may_give_up) {
    const auto [top, bottom] = ends_of_halves(m, c);
    if (!m.any(top >= limit || bottom < threshold_of(anchor) - 1)) return Fit::yes;
    return this->fit_to(
        m, words, top, infinity, [&](int e) { return bottom < threshold_of(e) - 1; }, may_give_up,
        few_misfits);
  }
  template <class See>
  ONEFOLD_KERNEL bool make_fit(M m, Words<M, T, set> words, Chunk<T, U>& c, bool may_give_up,
                               See see) {
    const AnchorChoice v = choose_anchor<Halves>(
        m, words, c, anchor, may_give_up ? patience_of_misfits - lifted_so_far : ~0);
    if (v.bad < 0) return false;
    if (v.anchor != anchor || limit == 0) {
      this->move_to(m, words, v.anchor);
    }
    lifted_so_far += v.bad;
    see();
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) {
      if (misfit(c, k, anchor)) c.set(k, 0x8000);
    }
    return true;
  }

  // Adds the lanes' sums to the words, and clears them.
  ONEFOLD_KERNEL void spill(M m, Words<M, T, set> words) {
    if (held == 0) return;
    spilled = true;
    int64_t total[N];
    this->take_totals(total);
    warp_totals<N>(m, total, [&](int i, int64_t low, int64_t high) {
      Base::put(m, words, i, anchor, low, high);
    });
  }

  // For misfits.hpp.
  ONEFOLD_KERNEL static uint32_t magnitude(const Chunk<T, U>& c, int k) {
    return c.bits(k) & 0x7fffu;
  }
  ONEFOLD_KERNEL static int anchor_for(uint32_t top) {
    return quantised(static_cast<int>(top >> 7));
  }
  ONEFOLD_KERNEL static bool misfit(const Chunk<T, U>& c, int k, int e) {
    const uint32_t h = magnitude(c, k);
    return h >= infinity || (h != 0 && h < threshold_of(e));
  }

  ONEFOLD_KERNEL static double number(const Chunk<T, U>& c, int k) {
    if constexpr (Shape::fixed) {
      return static_cast<double>(f32_of(c.element(k)));
    } else {
      const uint32_t w = c.w[k / 2];
      return static_cast<double>(bit_cast<float>(k % 2 == 0 ? w << 16 : w & 0xffff0000u));
    }
  }

  ONEFOLD_KERNEL static int quantised(int e) {
    e = (e + 2) & ~1;
    return e < 1 ? 1 : e > 255 ? 255 : e;
  }
  // Returns the magnitude below which an element is too small for windows from 2^e down.
  ONEFOLD_KERNEL static uint32_t threshold_of(int e) {
    const int bottom = e - Shape::binades;
    return bottom > 1 ? static_cast<uint32_t>(bottom) << 7 : 1u;
  }
  ONEFOLD_KERNEL void set_anchor(int e) {
    anchor = e < 1 ? 1 : e;
    limit = static_cast<uint32_t>(anchor) << 7;
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) magics[i] = magic(Shape::unit(i, anchor) + 1075);
    held = 0;
  }

  // Adds the elements from j on, as many as a window may take between flushes.
  ONEFOLD_KERNEL void add_from(const Chunk<T, U>& c, int j) {
    double a[N];
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) a[i] = magics[i];
    ONEFOLD_UNROLL
    for (int k = j; k < j + additions; ++k) {
      const double x = number(c, k);
      if constexpr (Shape::sum) a[0] += x;
      if constexpr (Shape::magnitudes) a[Shape::sum ? 1 : 0] += absolute(x);
      if constexpr (Shape::squares) {
        constexpr int q = Shape::first_square;
        const double t = fused(x, x, a[q]);
        a[q + 1] += fused(x, x, -(t - a[q]));
        a[q] = t;
      }
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < N; ++i) s[i] += bit_cast<uint64_t>(a[i]);
  }
};

}  // namespace onefold::kernel
