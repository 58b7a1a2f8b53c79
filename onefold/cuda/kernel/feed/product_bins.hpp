// Sums products of two arrays of floats of any exponents, exactly: in bins by the product's
// exponent, in shared memory. It takes data that product_windows.hpp gives up.
//
//   f32      p = x * y is exact in f64 and has 48 bits. f64 bins of 32 binades hold two pieces of
//            39 bits, in units of 2^(32 b - 1030) and 2^(32 b - 1070). 2^13 terms fit 53 bits
//   halves   p has 16 bits (bf16) or 22 (f16): f64 bins of 16 binades
//   f64      limbs (limb_bins.hpp)
//   special  registers count pairs with NaN or infinities, which become -0 * +0
#pragma once

#include "onefold/cuda/kernel/feed/limb_bins.hpp"

namespace onefold::kernel {

// Counts pairs with NaN or infinities in registers, and notes whether some product is not -0.
template <class M, class T, int U>
struct SpecialPairs {
  static constexpr bool f64 = sizeof(T) == 8;
  static constexpr int K = Chunk<T, U>::elements;
  static constexpr uint32_t infinity = f64 ? 0x7ff00000u : 0x7f800000u;

  uint32_t nans, invalid, positive_infinities, negative_infinities;
  bool some_not_negative_zero;

  ONEFOLD_KERNEL void open() {
    nans = invalid = positive_infinities = negative_infinities = 0;
    some_not_negative_zero = false;
  }
  // Counts pairs with NaN or infinities, and replaces them by -0 and +0.
  ONEFOLD_KERNEL void clean(M m, Chunk<T, U>& x, Chunk<T, U>& y) {
    if (m.any(!all_finite(x, y))) take_out(x, y);
    if (some_not_negative_zero) return;
    // Most often the first pair already decides.
    some_not_negative_zero = !is_negative_zero(x, y, 0);
    if (some_not_negative_zero) return;
    ONEFOLD_UNROLL
    for (int k = 1; k < K; ++k) some_not_negative_zero |= !is_negative_zero(x, y, k);
  }
  template <uint32_t set>
  ONEFOLD_KERNEL void close(M m, Words<M, T, set> words) {
    using Dot = accumulator::dot<T>;
    some_not_negative_zero |= invalid + positive_infinities + negative_infinities != 0;
    const bool some = m.any(some_not_negative_zero);
    const uint32_t nan = m.redux_add(nans), none = m.redux_add(invalid),
                   positive = m.redux_add(positive_infinities),
                   negative = m.redux_add(negative_infinities);
    if (static_cast<unsigned>(m.lane()) == 0) {
      words.add(m, Accumulator::dot, Dot::nan, nan);
      words.add(m, Accumulator::dot, Dot::invalid, none);
      words.add(m, Accumulator::dot, Dot::positive_infinity, positive);
      words.add(m, Accumulator::dot, Dot::negative_infinity, negative);
      words.add(m, Accumulator::dot, Dot::not_negative_zero, some ? 1 : 0);
    }
  }

 private:
  ONEFOLD_KERNEL static bool all_finite(const Chunk<T, U>& x, const Chunk<T, U>& y) {
    if constexpr (f64) {
      uint32_t most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) {
        most = x.high(k) * 2 > most ? x.high(k) * 2 : most;
        most = y.high(k) * 2 > most ? y.high(k) * 2 : most;
      }
      return most < infinity * 2;
    } else {
      float most = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) {
        most = extreme_or_nan<true>(most, absolute(bit_cast<float>(x.high(k))));
        most = extreme_or_nan<true>(most, absolute(bit_cast<float>(y.high(k))));
      }
      return bit_cast<uint32_t>(most) < infinity;
    }
  }
  ONEFOLD_KERNEL void take_out(Chunk<T, U>& x, Chunk<T, U>& y) {
    if constexpr (sizeof(T) == 2) {
      const CleanPairs found = look(x, y);
      x = found.x;
      y = found.y;
      nans += found.nans;
      invalid += found.invalid;
      positive_infinities += found.positive_infinities;
      negative_infinities += found.negative_infinities;
    } else {
      ONEFOLD_UNROLL
      for (int k = 0; k < K; ++k) take_out(*this, x, y, k);
    }
  }
  struct CleanPairs {
    Chunk<T, U> x, y;
    uint32_t nans, invalid, positive_infinities, negative_infinities;
  };
  // Out of line, and as a loop: it handles many elements, but rarely.
  ONEFOLD_KERNEL_COLD static CleanPairs look(Chunk<T, U> x, Chunk<T, U> y) {
    CleanPairs found{x, y, 0, 0, 0, 0};
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < K; ++k) take_out(found, found.x, found.y, k);
    return found;
  }
  template <class Counts>
  ONEFOLD_KERNEL static void take_out(Counts& counts, Chunk<T, U>& x, Chunk<T, U>& y, int k) {
    const uint32_t a = x.high(k), b = y.high(k), h = a & 0x7fffffffu, i = b & 0x7fffffffu;
    if (h < infinity && i < infinity) return;
    const auto is_nan = [&](uint32_t w, const Chunk<T, U>& c) {
      return w > infinity || (f64 && w == infinity && c.w[2 * k] != 0);
    };
    const bool zero = x.magnitude_key(k) == ~0u || y.magnitude_key(k) == ~0u;
    if (is_nan(h, x) || is_nan(i, y)) {
      ++counts.nans;
    } else if (zero) {
      ++counts.invalid;
    } else if ((a ^ b) >> 31 == 0) {
      ++counts.positive_infinities;
    } else {
      ++counts.negative_infinities;
    }
    x.set(k, bits_of<T>{1} << (8 * sizeof(T) - 1));
    y.set(k, 0);
  }
};

// What bins need to know of an element type.
template <class T>
struct ProductShape {
  static constexpr bool half = sizeof(T) == 2;
  static constexpr int binades = half ? 16 : 32;
  static constexpr int first = first_product_bin(dtype_of<T>), bins = product_bins(dtype_of<T>);
  static constexpr int pieces = half ? 1 : 2;
  static constexpr bool two = pieces == 2, integers = false;
  static constexpr int capacity = 1 << 13;  // terms that a bin may take between flushes

  // Returns log2 of the unit of piece i of bin b.
  ONEFOLD_KERNEL static int unit(int i, int b) {
    return (first + b) * binades - (half ? 1045 : 1030) - 40 * i;
  }
  // Returns that unit's position, counted from limb 0.
  ONEFOLD_KERNEL static int position(int i, int b) {
    return unit(i, b) - accumulator::dot<T>::unit;
  }
  ONEFOLD_KERNEL static Accumulator accumulator(int) { return Accumulator::dot; }
};

template <class M, class T, uint32_t set, int U, int warps>
struct ProductBins
    : BinsOfLane<M, ProductShape<T>, double, SpecialPairs<M, T, U>, Chunk<T, U>::elements> {
  using Shape = ProductShape<T>;
  using Slot = SlotOf<Shape::two, double>;
  static constexpr int K = Chunk<T, U>::elements, P = Shape::pieces;

  ONEFOLD_KERNEL void add(M m, Words<M, T, set> words, Chunk<T, U>& x, Chunk<T, U>& y) {
    this->clean(m, x, y);
    this->hold(m, words);
    ONEFOLD_UNROLL
    for (int k = 0; k < K; k += 2) {
      double a[2][P];
      unsigned at[2];
      cut(x, y, k, a[0], at[0]);
      cut(x, y, k + 1, a[1], at[1]);
      add_to_bins<Slot, 32, P, M>(this->slots, a, at);
    }
  }

 private:
  // Splits pair k into pieces, and finds their bin.
  ONEFOLD_KERNEL static void cut(const Chunk<T, U>& x, const Chunk<T, U>& y, int k, double (&a)[P],
                                 unsigned& at) {
    double p = static_cast<double>(bit_cast<float>(x.high(k))) *
               static_cast<double>(bit_cast<float>(y.high(k)));
    const auto h = static_cast<uint32_t>(bit_cast<uint64_t>(p) >> 32);
    const uint32_t b = Shape::half ? h >> 24 & 127 : h >> 25 & 63;
    constexpr uint32_t least = Shape::first;
    at = (b > least ? b : least) - least;  // zeros go to bin 0
    if constexpr (Shape::two) {
      // This is 1.5 * 2^52 units of the upper piece.
      const double c = make_double((h & 0x7e000000u) + (45u << 20 | 0x80000u), 0);
      a[0] = (p + c) - c;
      p -= a[0];
    }
    a[P - 1] = p;
  }
};

template <class M, uint32_t set, int U, int warps>
struct ProductBins<M, double, set, U, warps> {
  using Limbs = kernel::Limbs<M, set>;
  static constexpr int K = Chunk<double, U>::elements;

  Limbs limbs;
  SpecialPairs<M, double, U> specials;

  ONEFOLD_KERNEL void open(M m) {
    limbs.open(m);
    specials.open();
  }
  ONEFOLD_KERNEL void add(M m, Words<M, double, set>, Chunk<double, U>& x, Chunk<double, U>& y) {
    specials.clean(m, x, y);
    ONEFOLD_UNROLL
    for (int k = 0; k < K; ++k) {
      const uint32_t hx = x.w[2 * k + 1], hy = y.w[2 * k + 1];
      const auto a = Limbs::number(hx, x.w[2 * k]), b = Limbs::number(hy, y.w[2 * k]);
      const uint32_t position = a.position + b.position;
      const unsigned at = Limbs::slot_of(position);
      int64_t s[5];
      limbs.load(at, s);
      uint32_t v[4], w[5];
      Limbs::product(a, b, v);
      Limbs::negate(v, static_cast<uint32_t>(static_cast<int32_t>(hx ^ hy) >> 31));
      Limbs::shifted(v, position & 31, w);
      limbs.store(at, s, w);
    }
  }
  ONEFOLD_KERNEL void close(M m, Words<M, double, set> words) {
    limbs.close(m, words);
    specials.close(m, words);
  }
};

}  // namespace onefold::kernel
