// Elements of softmax and log_softmax of types narrower than f64 from the numbers of their row.
//
//   16 bits           by f32, then by one f64
//   f32, log_softmax  by pairs of f32, then by one f64: without conversions, of which a
//                     multiprocessor does one in the time of 8 sums
//   f32, softmax      by one f64
//   held              softmax of e^x that a thread has kept, of types of 16 bits as f32
#pragma once

#include "onefold/cuda/kernel/exponential/float_bounds.hpp"

namespace onefold::kernel {

// The row's logarithm as a pair of f32.
struct ShortLog {
  float high, low, lost;
};
ONEFOLD_KERNEL ShortLog short_log(const RowLog& row) {
  const auto high = static_cast<float>(row.log_high);
  const double lost = OneLane::abs(row.log_high) * 0x1p-46 + row.quick_error;
  return {high, static_cast<float>(row.log_high - high), static_cast<float>(lost * (1 + 0x1p-20))};
}

// An element of log_softmax of f32. u is 2^-24: x - log is s + rest, and the sums of rest and
// log.low, and of that and the bound, lose u^2 (|s| + |log|) each; log.low loses u^2 |log|.
ONEFOLD_KERNEL FloatBounds log_by_pairs(float x, const ShortLog& log) {
  if (x == -ExponentialLane::infinity()) return {x, x};
  const auto s = two_sum<FloatLane>(x, -log.high);
  const float rest = s.rest - log.low, lost = fused(FloatLane::abs(s.sum), 0x1p-46f, log.lost);
  return {s.sum + (rest - lost), s.sum + (rest + lost)};
}

// An element of a type of 16 bits. The difference has a relative error below 2^-22.8, by
// quick_log's, unless it is nearly 0. 2^f, |f| <= 1/2, has one below 2^-23.5, and three roundings
// of f add less than 2^-24.9: together below 2^-23.05.
template <class T, bool is_log>
ONEFOLD_KERNEL FloatBounds bounds_of_16_bits(float x, const ShortLog& log) {
  const auto difference = two_sum<FloatLane>(x, -log.high);
  const float d = difference.sum, low = difference.rest - log.low;
  if constexpr (is_log) {
    if (x == -ExponentialLane::infinity()) return {x, x};
    const float y = d + low;
    return {y < -0x1p-14f ? fused(y, 0x1p-22f, y) : bit_cast<float>(float_nan),
            fused(y, -0x1p-22f, y)};
  } else {
    const float inside = d > -87 ? d : -87;
    const float t = fused(inside, 0x1.715476p+0f, 0x1.8p23f), k = t - 0x1.8p23f;
    float f = fused(inside, 0x1.715476p+0f, -k);
    f = fused(inside, 0x1.4ae0cp-26f, f);
    f = fused(low, 0x1.715476p+0f, f);
    float p = 0x1.41a6fep-13f;
    p = fused(p, f, 0x1.5f44fp-10f);
    p = fused(p, f, 0x1.3b2dfep-7f);
    p = fused(p, f, 0x1.c6aed6p-5f);
    p = fused(p, f, 0x1.ebfbdap-3f);
    p = fused(p, f, 0x1.62e43p-1f);
    p = fused(p, f, 1.0f);
    // Half of the least number is above e^-92.9, or e^-17.4.
    constexpr bool is_bf16 = float_format(dtype_of<T>).exponent_bits == 8;
    if (d < (is_bf16 ? -93.5f : -17.5f)) return {0, 0};
    const float y = bit_cast<float>(bit_cast<uint32_t>(p) + (bit_cast<uint32_t>(t) << 23));
    return {is_bf16 && d < -87 ? bit_cast<float>(float_nan) : fused(y, -0x1.8p-23f, y),
            fused(y, 0x1.8p-23f, y)};
  }
}

template <class T, bool is_log>
struct SoftmaxElements {
  static constexpr FloatFormat format = float_format(dtype_of<T>);
  const RowLog& row;
  ShortLog log;

  ONEFOLD_KERNEL explicit SoftmaxElements(const RowLog& of) : row(of), log(short_log(of)) {}

  // Computes those of n elements that it can prove quickly; returns a bit for each other one.
  template <unsigned n>
  ONEFOLD_KERNEL uint32_t quick(const T (&x)[n], T (&to)[n]) const {
    uint32_t open = 0;
    if constexpr (sizeof(T) == 2) {
      FloatBounds y[n];
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < n; ++k) y[k] = bounds_of_16_bits<T, is_log>(number_of(x[k]), log);
      return all_rounded(y, to) ? 0 : open_ones(y);
    } else if constexpr (is_log) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < n; ++k) {
        const auto y = log_by_pairs(x[k], log);
        to[k] = y.low;
        if (!(y.low == y.high)) open |= 1u << k;
      }
    } else {
      double e[n];
      T inside[n];
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < n; ++k) inside[k] = within_range(x[k]);
      exponentials<Exponentials::quick>(inside, e);
      return of_exponentials(e, to);
    }
    return open;
  }
  // From e^x as f32, which have errors of 2^-24, and so have products and the sum. It must be
  // within 2^-10 .. 2^120: then an e^x that is 0 is that of an element that is 0, too.
  template <unsigned n>
  ONEFOLD_KERNEL uint32_t of_exponentials(const float (&e)[n], T (&to)[n]) const {
    FloatBounds y[n];
    const auto inverse = static_cast<float>(row.inverse_high);
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) {
      const float v = e[k] * inverse;
      y[k] = {fused(v, -0x1.08p-22f, v), fused(v, 0x1.08p-22f, v)};
      if constexpr (format.exponent_bits == 8) {
        if (v < 0x1p-120f && v != 0) y[k].low = bit_cast<float>(float_nan);
      }
    }
    return all_rounded(y, to) ? 0 : open_ones(y);
  }
  ONEFOLD_KERNEL static bool takes_exponentials(double sum) {
    return sizeof(T) == 4 || (sum > 0x1p-10 && sum < 0x1p120);
  }
  template <unsigned n>
  ONEFOLD_KERNEL uint32_t of_exponentials(const double (&e)[n], T (&to)[n]) const {
    uint32_t open = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) {
      const double v = e[k] * row.inverse_high;
      const bool proven = is_decided_f32(v), none = v < 0x1p-151;
      to[k] = none ? 0.0f : static_cast<float>(v);
      if (!proven && !none) open |= 1u << k;
    }
    return open;
  }
  // Computes an element that was not proven quickly; false: nor is it now.
  ONEFOLD_KERNEL_COLD static bool rare(T v, const RowLog& row, T& to) {
    const double x = wide_of(v);
    if constexpr (is_log) {
      const double a = row.log_high - x, e = OneLane::abs(a) * 0x1p-51 + row.quick_error;
      const uint32_t low = rounded_bits<T>(a - e), high = rounded_bits<T>(a + e);
      const bool nowhere = a == OneLane::infinity();
      constexpr auto sign = static_cast<uint32_t>(format.sign());
      to = of_bits<T>((nowhere ? static_cast<uint32_t>(format.infinity()) : low) | sign);
      return nowhere || (a > e && low == high);
    } else {
      // Its relative error is below 2^-46.5, of types of 16 bits 2^-43.5.
      constexpr double slack = sizeof(T) == 2 ? 0x1p-43 : 0x1p-46;
      const double y = quick_exp<ExponentialLane>(within_range(number_of(v))) * row.inverse_high;
      const uint32_t low = rounded_bits<T>(y * (1 - slack)),
                     high = rounded_bits<T>(y * (1 + slack));
      to = of_bits<T>(low);
      return low == high;
    }
  }

 private:
  template <unsigned n>
  ONEFOLD_KERNEL static uint32_t open_ones(const FloatBounds (&y)[n]) {
    uint32_t open = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) {
      if (is_open<T>(y[k])) open |= 1u << k;
    }
    return open;
  }
};

}  // namespace onefold::kernel
