// Elements of rms_norm and layer_norm from the numbers of their row, as bits.
//
//   16 bits   by f32, then by one f64
//   f32       by pairs of f32, then by pairs of f64: no conversions, of which a multiprocessor does
//             one in the time of 8 products
//   f64       by pairs of f64
#pragma once

#include "onefold/cuda/kernel/exponential/float_bounds.hpp"
#include "onefold/cuda/kernel/layer_norm/numbers.hpp"

namespace onefold::kernel {

// Computes an element by f64; false: not proven.
template <class T, bool pair>
ONEFOLD_KERNEL bool normalized(double x, double w, double b, const NormRow& row, bool centred,
                               uint64_t& bits) {
  using L = ExponentialLane;
  if constexpr (pair) {
    const auto q = pair_normalized<L>(x, w, b, row, centred);
    if (q.lost == 0) {
      bits = bit_cast<bits_of<T>>(from_double<T>(OneLane::narrow<T>(q.high)));
      return true;
    }
    if (!(q.lost < L::infinity())) return false;
    if constexpr (sizeof(T) == 2) {
      return decided_bits<T>({q.high, q.low}, q.lost, &bits);
    } else {
      return decided_pair<T>({q.high, q.low, q.lost}, bits);
    }
  } else {
    const auto q = centred ? quick_normalized<L, true>(x, w, b, row)
                           : quick_normalized<L, false>(x, w, b, row);
    const auto sign = static_cast<uint32_t>(bit_cast<uint64_t>(q.low) >> 63) << 15;
    const uint32_t low = rounded_bits<T>(L::abs(q.low)), high = rounded_bits<T>(L::abs(q.high));
    bits = low | sign;
    return low == high && (q.low < 0) == (q.high < 0);
  }
}

// The row as f32, the mean and the scale as pairs of them. If the scale is NaN, no element is
// computed by f32.
struct FloatRow {
  float mean, mean_low, scale, scale_low, offset;
};
template <class T>
ONEFOLD_KERNEL FloatRow float_row(const NormRow& row) {
  constexpr bool pair = sizeof(T) == 4;
  constexpr double range = pair ? 0x1p40 : 0x1p30, least = pair ? 0x1p-46 : 0x1p-30;
  const double mean = row.pivot + row.mean_high,
               offset = OneLane::abs(mean) * (pair ? 0x1p-45 : 0x1p-23) + row.mean_error;
  const bool fits = row.is_known && row.scale_high > 1 / range && row.scale_high < range &&
                    OneLane::abs(mean) < 0x1p60 && row.scale_error < least;
  FloatRow near;
  near.mean = static_cast<float>(mean);
  near.mean_low = static_cast<float>((mean - near.mean) + row.mean_low);
  near.scale = fits ? static_cast<float>(row.scale_high) : bit_cast<float>(float_nan);
  near.scale_low = static_cast<float>((row.scale_high - near.scale) + row.scale_low);
  near.offset = static_cast<float>(offset * (1 + 0x1p-20));
  return near;
}

// An element of f32; NaN: not proven. Below, u is 2^-24, and |x - m| of the true mean m at most
// sqrt(n) / scale.
//   layer_norm  c + rest is x - m within u^2 (|c| + |m|); p + p_low is w scale within 4 u^2 |p|,
//               scale_error being u^2 4 at most; q + q_low has 14 u^2 |q| and 6 u^2 |m p| more, the
//               last sums u^2 (|y| + 5 |q| + 2 |m p|), twice: together 26 u^2 |q| + 2 u^2 |y| +
//               8 u^2 |m p|
//   rms_norm    14 u^2 |q|: below 2^-44 |q|
//   tiny        rests of products that are no f32: below 2^-140 if p > 2^-100
template <bool centred>
ONEFOLD_KERNEL FloatBounds bounds_by_pairs(float x, float w, float b, const FloatRow& row) {
  const float p = w * row.scale;
  const float p_low = fused(w, row.scale_low, fused(w, row.scale, -p));
  const bool sure = FloatLane::abs(p) > 0x1p-100f;
  if constexpr (centred) {
    const auto c = two_sum<FloatLane>(x, -row.mean);
    const float q = c.sum * p;
    const float q_low = fused(c.rest - row.mean_low, p, fused(c.sum, p_low, fused(c.sum, p, -q)));
    const auto y = two_sum<FloatLane>(q, b);
    const float y_low = y.rest + q_low;
    const float lost = fused(FloatLane::abs(q) + FloatLane::abs(y.sum), 0x1.bp-44f,
                             fused(FloatLane::abs(p), row.offset, 0x1p-140f));
    return {sure ? y.sum + (y_low - lost) : bit_cast<float>(float_nan), y.sum + (y_low + lost)};
  } else {
    const float q = x * p;
    const float q_low = fused(x, p_low, fused(x, p, -q));
    const float lost = FloatLane::abs(q) * 0x1p-44f, low = q + (q_low - lost);
    if (x == 0) return {q, q};
    return {sure && FloatLane::abs(q) > 0x1p-100f ? low : bit_cast<float>(float_nan),
            q + (q_low + lost)};
  }
}

// An element of a type of 16 bits. Differences and products have errors of u, and so have mean and
// scale: below 2^-22 (|y| + |c p|) + |p| offset. Products that are no normal f32 lose below 2^-88,
// since |c| is at most 2^62.
template <bool centred>
ONEFOLD_KERNEL FloatBounds bounds_by_floats(float x, float w, float b, const FloatRow& row) {
  const float p = w * row.scale;
  float y = 0, lost = 0x1p-60f;
  if constexpr (centred) {
    const float c = x - row.mean;
    y = fused(c, p, b);
    lost = fused(FloatLane::abs(p), fused(FloatLane::abs(c), 0x1p-22f, row.offset), lost);
  } else {
    y = x * p;
  }
  lost = fused(FloatLane::abs(y), 0x1p-22f, lost);
  return {y - lost, y + lost};
}

template <class T, bool centred>
struct NormElements {
  using Number = NormNumber<T>;
  const NormRow& row;
  FloatRow near;

  ONEFOLD_KERNEL explicit NormElements(const NormRow& of) : row(of), near(float_row<T>(of)) {}

  // Computes those of n elements that it can prove quickly; returns a bit for each other one.
  template <unsigned n>
  ONEFOLD_KERNEL uint32_t quick(const T (&x)[n], const Number (&w)[n], const Number (&b)[n],
                                T (&to)[n]) const {
    if constexpr (sizeof(T) == 2) return of_16_bits(x, w, b, to);
    uint32_t open = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) {
      bool proven = false;
      if constexpr (sizeof(T) == 4) {
        const auto y = bounds_by_pairs<centred>(x[k], w[k], b[k], near);
        to[k] = y.low;
        proven = y.low == y.high;
      } else if constexpr (sizeof(T) == 8) {
        uint64_t bits = 0;
        proven = normalized<T, true>(x[k], w[k], b[k], row, centred, bits);
        to[k] = of_bits<T>(bits);
      }
      if (!proven) open |= 1u << k;
    }
    return open;
  }
  // Computes an element that was not proven quickly; false: nor is it now.
  ONEFOLD_KERNEL_COLD static bool rare(T x, Number w, Number b, const NormRow& row, T& to) {
    uint64_t bits = 0;
    const bool proven =
        sizeof(T) != 8 && normalized<T, sizeof(T) == 4>(wide_of(x), w, b, row, centred, bits);
    to = of_bits<T>(bits);
    return proven;
  }

 private:
  template <unsigned n>
  ONEFOLD_KERNEL uint32_t of_16_bits(const T (&x)[n], const Number (&w)[n], const Number (&b)[n],
                                     T (&to)[n]) const {
    FloatBounds y[n];
    float finite = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) {
      y[k] = bounds_by_floats<centred>(number_of(x[k]), w[k], b[k], near);
      finite = fused(y[k].low, 0.0f, finite);  // otherwise NaN
    }
    if (all_rounded(y, to) && finite == 0) return 0;
    uint32_t open = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) {
      if (!is_open<T>(y[k]) && y[k].low - y[k].low == 0) continue;
      const float zero = number_of(x[k]) * w[k];
      if (!centred && number_of(x[k]) == 0 && zero == 0) {
        to[k] = of_bits<T>(bit_cast<uint32_t>(zero) >> 16);
      } else {
        open |= 1u << k;
      }
    }
    return open;
  }
};

}  // namespace onefold::kernel
