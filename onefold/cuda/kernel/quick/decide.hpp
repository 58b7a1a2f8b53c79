// Computes the bits of an answer from a lane's totals, or finds that they do not prove its rounding
// (the answer is undecided).
#pragma once

#include "onefold/core/exact/square_root.hpp"
#include "onefold/cuda/kernel/answer/answers.hpp"
#include "onefold/cuda/kernel/quick/totals.hpp"
#include "onefold/cuda/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// How an answer is computed from the totals of n elements.
struct AnswerFormula {
  QuickFormula formula;
  double inverse = 0;  // 1 / n, if a sum is only divided by n
  double scale = 0;    // the factor of a sum or spread
  bool number = true;  // false: quick numbers cannot hold the formula's numbers
  bool nan = false;    // the answer is NaN, whatever the elements are
};
// Returns how the answer of op k is computed. If elements are selected, n is known only after
// gathering, so the formula is made here.
//   known  of most answers n is formulas.made_for
template <class Op, bool selects, bool known = false>
ONEFOLD_KERNEL AnswerFormula answer_formula(const Formulas& formulas, int k, Size n, NanPolicy nan,
                                            const Correction& correction) {
  const auto made_before = [&]() -> AnswerFormula {
    return {formulas.of[k], formulas.inverse[k], formulas.scale[k], true, false};
  };
  if constexpr (!selects) {
    return made_before();
  } else {
    if (known && n == formulas.made_for) return made_before();
    Named many;
    many.n = n;
    many.nan = nan;
    many.correction = correction;
    const Recipe r = recipe_for<Op>(many);
    AnswerFormula made;
    made.number = quick_formula(r, n, made.formula);
    made.nan = r.kind == Real::Kind::nan;
    QuickFormula only;
    only.elements = made.formula.elements;
    only.n = made.formula.n;
    if (made.formula == only && only.n != 1) made.inverse = 1 / only.n;
    made.scale = scale_of(made.formula);
    return made;
  }
}

// The type from which the bits of T are made: f32 for f32, else an f64 whose value is a T.
template <class T>
using Nearest = Either<sizeof(T) == 4, float, double>;
template <class T>
ONEFOLD_KERNEL Nearest<T> nearest(double v) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<float>(v);
  } else {
    return OneLane::narrow<T>(v);
  }
}
template <class T>
ONEFOLD_KERNEL uint64_t bits_of_answer(Nearest<T> v) {
  if constexpr (sizeof(T) == 8) {
    return bit_cast<uint64_t>(v);
  } else {
    return bit_cast<bits_of<T>>(exact_float<T>(static_cast<float>(v)));
  }
}

// The result of Ziv's rounding test: the rounded number, which is valid if `decided`.
template <class T>
struct RoundingTest {
  Nearest<T> value;
  bool decided;
};
// Rounds by three f64. For several ops the code exists once, out of line; for one op it is
// inlined, since a call would spill a walk's registers.
template <class T, QuickSteps steps>
ONEFOLD_KERNEL RoundingTest<T> decide_here(const QuickFormula& f, const Quick<OneLane>& sum) {
  bool decided = false;
  const double v = quick_number<OneLane, steps>(f, sum, {}).template decide<T>(decided);
  return {static_cast<Nearest<T>>(v), decided};
}
template <class T, QuickSteps steps>
ONEFOLD_KERNEL_COLD RoundingTest<T> decide_there(QuickFormula f, Quick<OneLane> sum) {
  return decide_here<T, steps>(f, sum);
}
template <class T, OpSet ops>
ONEFOLD_KERNEL RoundingTest<T> decide(const QuickFormula& f, const Quick<OneLane>& sum) {
  if constexpr (count_ops(ops) == 1) {
    return decide_here<T, quick_steps<T, ops>()>(f, sum);
  } else {
    return decide_there<T, quick_steps<T, ops>()>(f, sum);
  }
}

// Rounds scale (x +- error), or its square root. It is decided if both ends of the interval round
// to one T. Each end is moved outwards by more than the rounding errors of f64. A T has at most 32
// bits, so nearly all answers are decided, and walks try nothing more precise.
template <class T, bool root>
ONEFOLD_KERNEL RoundingTest<T> decide_near(double x, double error, double scale) {
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

// Rounds x / n, if the nearest f64 decides the nearest T. A quotient by the inverse and a
// correction is exact, or one of the two f64 around the exact one (Markstein, IBM J. 34(1)). So
// both lie on the same side of every midpoint of two T, unless the quotient is one.
template <class T>
ONEFOLD_KERNEL RoundingTest<T> divided(double x, double n, double inverse) {
  const double q = x * inverse, r = x == 0 ? x : fused(fused(-q, n, x), inverse, q);
  const Nearest<T> t = nearest<T>(r);
  const double other = t + 2 * (r - t);
  const bool half_way = r != t && nearest<T>(other) == other;
  return {t, OneLane::abs(t) < OneLane::infinity() && (!half_way || fused(-r, n, x) == 0)};
}

}  // namespace onefold::kernel
