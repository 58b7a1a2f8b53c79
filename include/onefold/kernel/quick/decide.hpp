// Computes the bits of an answer from a lane's totals, or finds that they do not prove it (an open
// answer).
#pragma once

#include "onefold/kernel/answer/answers.hpp"
#include "onefold/kernel/quick/totals.hpp"
#include "onefold/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// How the totals of n elements become an answer.
struct Making {
  QuickFormula formula;
  double inverse = 0;  // of n, where nothing else is done to a sum
  double scale = 0;    // what a sum or spread is multiplied by
  bool number = true;  // else quick numbers do not hold what it says
  bool nan = false;    // that it is, whatever the elements are
};
// If elements are selected, n is known only after gathering.
template <class Op, bool selects>
ONEFOLD_KERNEL Making making_of(const Formulas& formulas, int k, Size n, NanPolicy nan,
                                const Correction& correction) {
  if constexpr (!selects) {
    return {formulas.of[k], formulas.inverse[k], formulas.scale[k], true, false};
  } else {
    Named many;
    many.n = n;
    many.nan = nan;
    many.correction = correction;
    const Recipe r = recipe_for<Op>(many);
    Making made;
    made.number = quick_formula(r, n, made.formula);
    // A recipe says NaN also of a shift, which it leaves to exact words.
    made.nan = r.kind == Real::Kind::nan && (n == 0 || correction.shift == 0);
    QuickFormula only;
    only.elements = made.formula.elements;
    only.n = made.formula.n;
    if (made.formula == only && only.n != 1) made.inverse = 1 / only.n;
    made.scale = scale_of(made.formula);
    return made;
  }
}

// A T as its bits are made of it: an f64 that is a T, but of f32.
template <class T>
struct NearestOf {
  using type = double;
};
template <>
struct NearestOf<float> {
  using type = float;
};
template <class T>
using Nearest = typename NearestOf<T>::type;
template <class T>
ONEFOLD_KERNEL Nearest<T> nearest(double v) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<float>(v);
  } else {
    return OneLane::narrow<T>(v);
  }
}
// The bits of a number that is exactly an f16.
ONEFOLD_KERNEL uint32_t bits_of_half(double v) {
  const auto x = static_cast<float>(v);
  const uint32_t b = bit_cast<uint32_t>(x), sign = b >> 16 & 0x8000u, a = b & 0x7fffffffu;
  constexpr uint32_t normal = (127 - 14) << 23, above = (127 + 16) << 23, rebias = (127 - 15) << 23;
  if (a >= above) return sign | (a > 0xffu << 23 ? 0x7e00u : 0x7c00u);
  if (a >= normal) return sign | (a - rebias) >> 13;
  return sign | static_cast<uint32_t>(bit_cast<float>(a) * 0x1p24f);
}
template <class T>
ONEFOLD_KERNEL uint64_t bits_of_answer(Nearest<T> v) {
  if constexpr (sizeof(T) == 8) {
    return bit_cast<uint64_t>(v);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<uint32_t>(v);
  } else if constexpr (dtype_of<T> == DType::bf16) {
    return bit_cast<uint32_t>(static_cast<float>(v)) >> 16;
  } else {
    return bits_of_half(v);
  }
}

// The rounded number; valid if `decided`.
template <class T>
struct Decided {
  Nearest<T> value;
  bool decided;
};
// By three words of f64. One text where a kernel has several ops; of one op it stands where it is
// needed, for a call spills a walk's registers.
template <class T, QuickSteps steps>
ONEFOLD_KERNEL Decided<T> decide_here(const QuickFormula& f, const Quick<OneLane>& sum,
                                      const Quick<OneLane>& squares) {
  bool decided = false;
  const double v = quick_number<OneLane, steps>(f, sum, squares).template decide<T>(decided);
  return {static_cast<Nearest<T>>(v), decided};
}
template <class T, QuickSteps steps>
ONEFOLD_KERNEL_COLD Decided<T> decide_there(QuickFormula f, Quick<OneLane> sum,
                                            Quick<OneLane> squares) {
  return decide_here<T, steps>(f, sum, squares);
}
template <class T, uint32_t ops>
ONEFOLD_KERNEL Decided<T> decide(const QuickFormula& f, const Quick<OneLane>& sum,
                                 const Quick<OneLane>& squares) {
  if constexpr (count_ops(ops) == 1) {
    return decide_here<T, quick_steps<T, ops>()>(f, sum, squares);
  } else {
    return decide_there<T, quick_steps<T, ops>()>(f, sum, squares);
  }
}

// Rounds scale (x +- error), or its square root: decided where both ends of the interval give one
// T. Each end is moved outwards by more than the roundings of f64 on the way to it. A T of 32 bits
// or less leaves them so much room that no walk needs more than this.
template <class T, bool root>
ONEFOLD_KERNEL Decided<T> decide_near(double x, double error, double scale) {
  static_assert(sizeof(T) < 8);
  double v = x * scale, e = error * scale;
  if constexpr (root) {
    // sqrt(v +- e) differs from sqrt(v) by at most e / sqrt(v).
    const double s = square_root(v);
    e = e == 0 ? 0 : e / s;
    v = s;
  }
  e += OneLane::abs(v) * 0x1p-49;
  using Bits = bits_of<Nearest<T>>;
  const Nearest<T> below = nearest<T>(v - e), above = nearest<T>(v + e);
  return {above, above == above && bit_cast<Bits>(below) == bit_cast<Bits>(above)};
}

// x / n, where the nearest f64 tells the nearest T. A quotient by the inverse and a correction is
// exact, or one of the two f64 beside the exact one (Markstein, IBM J. 34(1)); so they lie on one
// side of every number half way between two T, if it is none itself.
template <class T>
ONEFOLD_KERNEL Decided<T> divided(double x, double n, double inverse) {
  const double q = x * inverse, r = x == 0 ? x : fused(fused(-q, n, x), inverse, q);
  const Nearest<T> t = nearest<T>(r);
  const double other = t + 2 * (r - t);
  const bool half_way = r != t && nearest<T>(other) == other;
  return {t, OneLane::abs(t) < OneLane::infinity() && (!half_way || fused(-r, n, x) == 0)};
}

}  // namespace onefold::kernel
