// Sums over elements of rms_norm and layer_norm, and what the elements are multiplied by.
#pragma once

#include "onefold/core/layer_norm/elements.hpp"
#include "onefold/cuda/kernel/exponential/input.hpp"
#include "onefold/cuda/kernel/exponential/numbers.hpp"

namespace onefold::kernel {

// Errors of quick deviations, as core's: chains have 62 operations here, and 34 if a thread holds
// its elements.
inline constexpr double rough_deviation_error = 0x1p-47, held_deviation_error = 0x1.2p-48;
// Of pairs that are settled after 32 elements, at most 256 times. A chain's low word is at most
// 2^-48 of its sum, and its 64 roundings 2^-95; 256 sums of pairs lose below 2^-95.
inline constexpr double short_deviation_error = 0x1p-93;

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
  // Reads those of n elements: one, or a vector of them.
  template <unsigned n>
  ONEFOLD_KERNEL void read(Size i, NormNumber<T> (&to)[n]) const {
    if (n != 1 && kind == FactorKind::wide) {
      const Vector16<T> v = m.by_vector(own)[i / n];
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < n; ++k) to[k] = number_of(v.v[k]);
    } else if (kind == FactorKind::none) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < n; ++k) to[k] = none;
    } else {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < n; ++k) to[k] = (*this)(i + k);
    }
  }
};

// Deviations of elements that a thread adds up. settle() is called whenever each k had 32 elements,
// or any had 512 by pairs.
//   pivoted   else the pivot is 0: pairs of types narrower than f64 have their squares exactly
//   centred   the sum is wanted
template <class T, bool pair, bool pivoted = true, bool centred = true>
struct DeviationSums {
  double pivot = 0;
  Deviations all = {};
  double s[pair ? 2 : 4] = {}, q[pair ? 2 : 4] = {};  // of pairs the high and the low word

  ONEFOLD_KERNEL void add(T v, unsigned k) {
    using L = ExponentialLane;
    if constexpr (pair && !pivoted) {
      const double d = wide_of(v);
      if constexpr (centred) add_to(s, d);
      if constexpr (sizeof(T) < 8) {
        add_to(q, d * d);
      } else {
        const auto p = OneLane::product(d, d);
        add_to(q, {p.sum, p.rest});
      }
    } else if constexpr (pair) {
      const auto d = two_sum<L>(wide_of(v), -pivot);
      add_to(s, d);
      const auto p = OneLane::product(d.sum, d.sum);
      add_to(q, {p.sum, L::fused(d.sum + d.sum, d.rest, p.rest)});
    } else {
      const double d = pivoted ? wide_of(v) - pivot : wide_of(v);
      if constexpr (centred) s[k] += d;
      q[k] = L::fused(d, d, q[k]);
    }
  }
  ONEFOLD_KERNEL void add(const Vector16<T>& v) {
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < Vector16<T>::size; ++k) add(v.v[k], k % 4);
  }
  ONEFOLD_KERNEL void settle() {
    if constexpr (centred) settle(s, all.sum);
    settle(q, all.squares);
  }

 private:
  ONEFOLD_KERNEL static void add_to(double (&to)[2], double x) {
    const auto sum = two_sum<ExponentialLane>(to[0], x);
    to[0] = sum.sum;
    to[1] += sum.rest;
  }
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
