// Elements as f64, and answers of one f64 as bits.
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"
#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// The element as f32; of f64, as it is.
template <class T>
ONEFOLD_KERNEL auto number_of(T v) {
  if constexpr (sizeof(T) >= 4) {
    return v;
  } else {
    const uint32_t bits = bit_cast<uint16_t>(v);
    if constexpr (dtype_of<T> == DType::bf16) {
      return bit_cast<float>(bits << 16);
    } else {
#if defined(__CUDA_ARCH__)
      float f = 0;
      asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(static_cast<unsigned short>(bits)));
      return f;
#else
      const uint32_t magnitude = (bits & 0x7fff) << 13, sign = (bits & 0x8000) << 16;
      const float scaled = bit_cast<float>(magnitude) * 0x1p112f;
      const uint32_t of_scaled = bit_cast<uint32_t>(scaled);
      return bit_cast<float>(sign |
                             (magnitude >= 0x7c00u << 13 ? magnitude | 0x7f800000u : of_scaled));
#endif
    }
  }
}

template <class T>
ONEFOLD_KERNEL double wide_of(T v) {
  return number_of(v);
}

// Rounds v > 0 to the bits of a T narrower than f64. No exact answer is a tie, so these go
// either way.
template <class T>
ONEFOLD_KERNEL uint32_t rounded_bits(double v) {
  if constexpr (sizeof(T) == 4) {
    return bit_cast<uint32_t>(static_cast<float>(v));
  } else {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr int cut = 20 - f.mantissa_bits;  // bits of the upper word that are rounded off
    constexpr int top = (1 << (f.exponent_bits - 1)) - 1;
    constexpr auto infinity = static_cast<uint32_t>(f.infinity());
    // Below the normal numbers, by adding a number whose unit is that of the subnormal ones.
    if (v < power_of_two(1 - top)) {
      const double unit = power_of_two(f.unit + 52) * 1.5;
      return static_cast<uint32_t>(bit_cast<uint64_t>(v + unit));
    }
    const auto high = static_cast<uint32_t>(bit_cast<uint64_t>(v) >> 32);
    const uint32_t bits = ((high + (1u << (cut - 1))) >> cut) -
                          (static_cast<uint32_t>(1023 - top) << f.mantissa_bits);
    return bits < infinity ? bits : infinity;
  }
}

// How e^x is computed: the sum of a slice has a relative error below 2^-44.5, 2^-47 or 2^-86.
enum class Exponentials : uint8_t { rough, quick, pairs };

// Computes e^x of n numbers, |x| <= 700, side by side, since each step waits for the one before.
//   quick   as core's quick_exp, with a relative error below 2^-50
//   rough   below 2^-45: a polynomial of degree 9, 2^-46.06, of x / ln 2 less an integer; 1 / ln 2
//           as f64 has a relative error of 2^-55.97, times 1010: together 2^-45.25
template <Exponentials how, unsigned n, class X>
ONEFOLD_KERNEL void exponentials(const X (&x)[n], double (&e)[n]) {
  using L = ExponentialLane;
  if constexpr (how == Exponentials::quick) {
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) e[k] = quick_exp<L>(x[k]);
  } else {
    constexpr double magic = 0x1.8p52, inverse = 0x1.71547652b82fep+0;
    constexpr double coefficient[] = {
        0x1.63edefbfc1f32p-20, 0x1.ffce2491b1ad4p-17, 0x1.43088fcbd130cp-13,
        0x1.5d87fd9003a8dp-10, 0x1.3b2ab72a0fe9cp-7,  0x1.c6b08d70d2056p-5,
        0x1.ebfbdff815714p-3,  0x1.62e42fefa3752p-1,  0x1.0000000000039p+0};
    double t[n], r[n];
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) {
      t[k] = L::fused(x[k], inverse, magic);
      r[k] = L::fused(x[k], inverse, magic - t[k]);
      e[k] = 0x1.b3f3ef594ee55p-24;
    }
    ONEFOLD_UNROLL
    for (unsigned c = 0; c < 9; ++c) {
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < n; ++k) e[k] = L::fused(e[k], r[k], coefficient[c]);
    }
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < n; ++k) e[k] = L::times_power(e[k], t[k]);
  }
}

// Returns x within -700 .. 640; NaN stays.
template <class T>
ONEFOLD_KERNEL T within_range(T x) {
  x = x < T{-700} ? T{-700} : x;
  return x > T{640} ? T{640} : x;
}

// Returns whether v > 0, with a relative error below 2^-46.5, is a normal f32 when it is rounded,
// and always the same one.
ONEFOLD_KERNEL bool is_decided_f32(double v) {
  constexpr FloatFormat f = float_format(DType::f32);
  constexpr int least = 1023 + f.unit + f.mantissa_bits;  // field of the least normal number
  // Of the 29 bits of v below those of a f32 an error is below 96.
  constexpr uint32_t kept = 29, lost = 96;
  const auto all = bit_cast<uint64_t>(v);
  const uint32_t rest = static_cast<uint32_t>(all) & ((1u << kept) - 1);
  const uint32_t from_half = rest - (1u << (kept - 1)) + lost;
  return static_cast<uint32_t>(all >> 32) >= static_cast<uint32_t>(least) << 20 &&
         from_half > 2 * lost;
}

// Rounds a number to f64 or f32; false: not proven.
template <class T>
ONEFOLD_KERNEL bool decided_pair(const PairElement<ExponentialLane>& q, uint64_t& bits) {
  const auto b = one_lane::bounds_of<ExponentialLane>(q.high, q.low, q.lost);
  const T low = static_cast<T>(b.low), high = static_cast<T>(b.high);
  bits = bit_cast<bits_of<T>>(low);
  if constexpr (sizeof(T) == 8) return low == high;
  // An end that is a tie as f64 may be above or below it. Subnormal numbers have theirs elsewhere.
  constexpr uint64_t rest = (uint64_t{1} << 29) - 1, tie = uint64_t{1} << 28;
  const bool plain = OneLane::abs(b.low) >= 0x1p-125 && (bit_cast<uint64_t>(b.low) & rest) != tie &&
                     (bit_cast<uint64_t>(b.high) & rest) != tie;
  return low == high && (plain || decided_bits<T>({q.high, q.low}, q.lost, &bits));
}

template <class T>
ONEFOLD_KERNEL T of_bits(uint64_t bits) {
  return bit_cast<T>(static_cast<bits_of<T>>(bits));
}
// The tables of pairs of f64 (core/exponential/powers.hpp) in shared memory.
template <class M>
struct SharedTables {
  Shared<M, double> coarse, coarse_low, fine, fine_low;
};
template <class M>
ONEFOLD_KERNEL SharedTables<M> shared_tables(M m) {
  const auto words = shared<double, int{power_words}, struct power_words_>(m);
  for (unsigned i = static_cast<unsigned>(m.thread()); i < power_words;
       i += static_cast<unsigned>(m.threads())) {
    words[i] = power_word(i);
  }
  m.sync();
  return {words, words + 64, words + 128, words + 192};
}

}  // namespace onefold::kernel
