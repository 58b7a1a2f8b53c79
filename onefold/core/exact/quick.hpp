// Quick numbers (quick.inl), computed one at a time.
#pragma once

#include "onefold/core/dtype.hpp"
#include "onefold/core/exact/leading.hpp"
#include "onefold/core/exact/quick_formula.hpp"
#include "onefold/core/exact/square_root.hpp"

namespace onefold {

// The "vector" of one f64.
struct OneLane {
  using V = double;
  using M = bool;

  ONEFOLD_FN static V add(V a, V b) { return a + b; }
  ONEFOLD_FN static V sub(V a, V b) { return a - b; }
  ONEFOLD_FN static V mul(V a, V b) { return a * b; }
  ONEFOLD_FN static V div(V a, V b) { return a / b; }
  ONEFOLD_FN static V sqrt(V a) { return square_root(a); }
  ONEFOLD_FN static V abs(V a) { return bit_cast<V>(bit_cast<uint64_t>(a) & ~uint64_t{0} >> 1); }
  ONEFOLD_FN static V negative(V a) { return -a; }
  ONEFOLD_FN static V zero() { return 0; }
  ONEFOLD_FN static V infinity() { return bit_cast<V>(uint64_t{0x7ff} << 52); }
  ONEFOLD_FN static V set(double v) { return v; }
  // Returns a - q b, which an f64 holds exactly.
  ONEFOLD_FN static V residue(V a, V q, V b) { return fused(-q, b, a); }
  // Returns a b = sum + rest, exactly.
  ONEFOLD_FN static auto product(V a, V b);
  // Returns a b + c, rounded once.
  ONEFOLD_FN static V fused(V a, V b, V c) {
#if defined(__CUDA_ARCH__)
    return fma(a, b, c);
#else
    return __builtin_fma(a, b, c);
#endif
  }

  ONEFOLD_FN static M less(V a, V b) { return a < b; }
  ONEFOLD_FN static M equal(V a, V b) { return a == b; }
  ONEFOLD_FN static M same(V a, V b) { return bit_cast<uint64_t>(a) == bit_cast<uint64_t>(b); }
  ONEFOLD_FN static M both(M a, M b) { return a && b; }
  ONEFOLD_FN static M either(M a, M b) { return a || b; }
  ONEFOLD_FN static V select(M m, V yes, V no) { return m ? yes : no; }

  ONEFOLD_FN static M is_odd(V a) { return (bit_cast<uint64_t>(a) & 1) != 0; }
  // Returns the f64 next to `a`, which is not zero: the one that lies towards `to`'s sign.
  ONEFOLD_FN static V step(V a, V to) {
    const auto s = bit_cast<int64_t>(a);
    return bit_cast<double>(s + (((s ^ bit_cast<int64_t>(to)) >> 63) | 1));
  }
  // Rounds to the nearest T a number that was rounded to odd, or that needs no further rounding.
  template <class T>
  ONEFOLD_FN static V narrow(V a) {
    if constexpr (sizeof(T) == 8) {
      return a;
    } else if constexpr (sizeof(T) == 4) {
      return static_cast<float>(a);
    } else {
      return narrow_half(a, float_format(dtype_of<T>));
    }
  }

 private:
  // Rounds by adding and subtracting 1.5 * 2^k, whose ulp is that of the 16-bit type at `a`.
  ONEFOLD_FN static V narrow_half(V a, FloatFormat f) {
    const auto bits = bit_cast<uint64_t>(a);
    const int e = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    if (a != a) return a;
    if (e > 200) return a < 0 ? -infinity() : infinity();
    const int ulp = e - f.mantissa_bits > f.unit ? e - f.mantissa_bits : f.unit;
    const double m = bit_cast<double>(static_cast<uint64_t>(ulp + 52 + 1023) << 52) * 1.5;
    double r = a + m - m;
    const double limit = bit_cast<double>(static_cast<uint64_t>(f.top + 1023) << 52);
    if (r >= limit) r = infinity();
    if (r <= -limit) r = -infinity();
    return bit_cast<double>((bit_cast<uint64_t>(r) & ~(uint64_t{1} << 63)) |
                            (bits & uint64_t{1} << 63));
  }
};

#define ONEFOLD_QUICK_FN ONEFOLD_FN
#include "onefold/core/exact/quick.inl"
#undef ONEFOLD_QUICK_FN

ONEFOLD_FN inline auto OneLane::product(V a, V b) {
  const V p = a * b;
  return QuickPair<OneLane>{p, OneLane::fused(a, b, -p)};
}

}  // namespace onefold
