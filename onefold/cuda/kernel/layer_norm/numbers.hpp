// Elements of rms_norm and layer_norm as bits, and what they are multiplied by.
#pragma once

#include "onefold/core/layer_norm/elements.hpp"
#include "onefold/cuda/kernel/exponential/input.hpp"
#include "onefold/cuda/kernel/exponential/numbers.hpp"

namespace onefold::kernel {

// Errors of quick deviations, as core's: chains have 62 operations here, and 34 if a thread holds
// its elements.
inline constexpr double rough_deviation_error = 0x1p-47, held_deviation_error = 0x1.2p-48;

// What factors of elements of a T are read as: f32 holds those of all types but f64.
template <class T>
using NormNumber = decltype(number_of(T{}));

// Reads what elements are multiplied by, or what is added.
template <class T, class M>
struct NormFactor {
  M m;
  const In<M, T>& own;
  const In<M, float>& f32;
  FactorKind kind;
  NormNumber<T> none;

  ONEFOLD_KERNEL NormNumber<T> operator()(Size i) const {
    if (kind == FactorKind::none) return none;
    if (kind == FactorKind::f32) {
      const float v = f32[i];
      return v;
    }
    const T v = own[i];
    return number_of(v);
  }
  // Reads those of a vector of elements.
  ONEFOLD_KERNEL void read(Size i, NormNumber<T> (&to)[Vector16<T>::size]) const {
    constexpr int size = Vector16<T>::size;
    if (kind == FactorKind::wide) {
      const Vector16<T> v = m.by_vector(own)[i / size];
      ONEFOLD_UNROLL
      for (int k = 0; k < size; ++k) to[k] = number_of(v.v[k]);
    } else if (kind == FactorKind::none) {
      ONEFOLD_UNROLL
      for (int k = 0; k < size; ++k) to[k] = none;
    } else {
      ONEFOLD_UNROLL
      for (int k = 0; k < size; ++k) to[k] = (*this)(i + static_cast<Size>(k));
    }
  }
};

// Computes an element; false: not proven.
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
    if constexpr (sizeof(T) == 4) {
      const auto low = static_cast<float>(q.low), high = static_cast<float>(q.high);
      bits = bit_cast<uint32_t>(low);
      return bit_cast<uint32_t>(low) == bit_cast<uint32_t>(high);
    } else {
      const auto sign = static_cast<uint32_t>(bit_cast<uint64_t>(q.low) >> 63) << 15;
      const uint32_t low = rounded_bits<T>(L::abs(q.low)), high = rounded_bits<T>(L::abs(q.high));
      bits = low | sign;
      return low == high && (q.low < 0) == (q.high < 0);
    }
  }
}

// What elements of types of 16 bits are computed with by f32. If scale is 0, none is.
struct ShortNorm {
  float pivot, mean, scale, offset;
};
ONEFOLD_KERNEL ShortNorm short_norm(const NormRow& row) {
  const double mean = OneLane::abs(row.mean_high), offset = mean * 0x1p-22 + row.mean_error;
  const bool fits = row.scale_high > 0x1p-60 && row.scale_high < 0x1p60 && mean < 0x1p60 &&
                    row.scale_error < 0x1p-30;
  return {static_cast<float>(row.pivot), static_cast<float>(row.mean_high),
          fits ? static_cast<float>(row.scale_high) : 0,
          static_cast<float>(offset * (1 + 0x1p-20))};
}

// Rounds y, ties up, to the bits of a type of 16 bits with their sign; within its range.
template <class T>
ONEFOLD_KERNEL uint32_t short_bits(float y) {
  const uint32_t all = bit_cast<uint32_t>(y);
  if constexpr (dtype_of<T> == DType::bf16) {
    return (all + 0x8000) >> 16;
  } else {
    return ((((all & 0x7fffffff) + 0x1000) >> 13) - (112u << 10)) | (all >> 16 & 0x8000);
  }
}
// Computes an element by f32; false: not proven. Differences and products have errors of 2^-24, and
// so have mean and scale; rms_norm multiplies twice: below 2^-22.4 of the answer.
template <class T>
ONEFOLD_KERNEL bool short_normalized(float x, float w, float b, const ShortNorm& row, bool centred,
                                     uint32_t& bits) {
  const auto size = [](float v) { return bit_cast<float>(bit_cast<uint32_t>(v) & 0x7fffffff); };
  constexpr bool is_bf16 = dtype_of<T> == DType::bf16;
  constexpr float least = is_bf16 ? 0x1p-100f : 0x1p-13f, most = is_bf16 ? 0x1p127f : 65000.0f;
  const float scale = w * row.scale;
  float low = 0, high = 0, y = 0;
  if (centred) {
    const float d = x - row.pivot, c = d - row.mean;
    y = fused(c, scale, b);
    const float of_row = fused(size(d), 0x1p-22f, row.offset);
    const float lost = fused(size(y), 0x1p-22f, size(scale) * of_row);
    low = y - lost;
    high = y + lost;
  } else {
    y = x * scale;
    low = fused(y, -0x1p-22f, y);
    high = fused(y, 0x1p-22f, y);
  }
  bits = short_bits<T>(low);
  return size(y) > least && size(y) < most && size(scale) > 0x1p-100f && size(scale) < 0x1p100f &&
         bits == short_bits<T>(high);
}

// Deviations of elements that a thread adds up. settle() is called whenever each k had 32 elements,
// or any had 512 by pairs.
template <class T, bool pair>
struct DeviationSums {
  double pivot;
  Deviations all = {};
  double s[pair ? 2 : 4] = {}, q[pair ? 2 : 4] = {};  // of pairs the high and the low word

  ONEFOLD_KERNEL void add(T v, unsigned k) {
    using L = ExponentialLane;
    if constexpr (pair) {
      const auto d = two_sum<L>(wide_of(v), -pivot);
      add_to(s, d);
      const auto p = OneLane::product(d.sum, d.sum);
      add_to(q, {p.sum, L::fused(d.sum + d.sum, d.rest, p.rest)});
    } else {
      const double d = wide_of(v) - pivot;
      s[k] += d;
      q[k] = L::fused(d, d, q[k]);
    }
  }
  ONEFOLD_KERNEL void add(const Vector16<T>& v) {
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < Vector16<T>::size; ++k) add(v.v[k], k % 4);
  }
  ONEFOLD_KERNEL void settle() {
    settle(s, all.sum);
    settle(q, all.squares);
  }

 private:
  ONEFOLD_KERNEL static void add_to(double (&to)[2], const QuickPair<ExponentialLane>& x) {
    DoublePair sum{to[0], to[1]};
    add_quickly(sum, x);
    to[0] = sum.high;
    to[1] = sum.low;
  }
  template <int n>
  ONEFOLD_KERNEL static void settle(double (&from)[n], DoublePair& to) {
    if constexpr (pair) {
      add_pair(to, {from[0], from[1]});
    } else {
      add_pair(to, {(from[0] + from[1]) + (from[2] + from[3]), 0});
    }
    ONEFOLD_UNROLL
    for (double& v : from) v = 0;
  }
};

}  // namespace onefold::kernel
