// One number of a lane, from its totals to the bits of an answer: decided, or left open.
#pragma once

#include "onefold/kernel/answer/answers.hpp"
#include "onefold/kernel/quick/totals.hpp"
#include "onefold/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// What becomes of totals of n elements.
struct Making {
  QuickFormula formula;
  double inverse = 0;  // of n, where nothing else is done to a sum
  bool number = true;  // else quick numbers do not hold what it says
  bool nan = false;    // that it is, whatever the elements are
};
// Where elements are selected, n is known only now.
template <class Op, bool selects>
ONEFOLD_KERNEL Making making_of(const Formulas& formulas, int k, Size n, NanPolicy nan,
                                const Correction& correction) {
  if constexpr (!selects) {
    return {formulas.of[k], formulas.inverse[k], true, false};
  } else {
    Named many;
    many.n = n;
    many.nan = nan;
    many.correction = correction;
    const Recipe r = Op::finish(many);
    Making made;
    made.number = quick_formula(r, n, made.formula);
    // A recipe says NaN also of a shift, which it leaves to exact words.
    made.nan = r.kind == Real::Kind::nan && (n == 0 || correction.shift == 0);
    QuickFormula only;
    only.elements = made.formula.elements;
    only.n = made.formula.n;
    if (made.formula == only && only.n != 1) made.inverse = 1 / only.n;
    return made;
  }
}

// Rounds a number to T: a T, if `decided`. One text where a kernel has several ops; of one op it
// stands where it is needed, for a call spills a walk's registers.
struct Decided {
  double value;
  bool decided;
};
template <class T, QuickSteps steps>
ONEFOLD_KERNEL Decided decide_here(const QuickFormula& f, const Quick<OneLane>& sum,
                                   const Quick<OneLane>& squares) {
  Decided d{};
  d.value = quick_number<OneLane, steps>(f, sum, squares).template decide<T>(d.decided);
  return d;
}
template <class T, QuickSteps steps>
ONEFOLD_KERNEL_COLD Decided decide_there(QuickFormula f, Quick<OneLane> sum,
                                         Quick<OneLane> squares) {
  return decide_here<T, steps>(f, sum, squares);
}
template <class T, uint32_t ops>
ONEFOLD_KERNEL Decided decide(const QuickFormula& f, const Quick<OneLane>& sum,
                              const Quick<OneLane>& squares) {
  if constexpr (count_ops(ops) == 1) {
    return decide_here<T, quick_steps<T, ops>()>(f, sum, squares);
  } else {
    return decide_there<T, quick_steps<T, ops>()>(f, sum, squares);
  }
}
// x / n, where the nearest f64 tells the nearest T. A quotient by the inverse and a correction is
// exact, or one of the two f64 beside the exact one (Markstein, IBM J. 34(1)); so they lie on one
// side of every number half way between two T, if it is none itself.
template <class T>
ONEFOLD_KERNEL Decided divided(double x, double n, double inverse) {
  const double q = x * inverse, r = x == 0 ? x : fused(fused(-q, n, x), inverse, q),
               t = OneLane::narrow<T>(r), other = t + 2 * (r - t);
  const bool half_way = r != t && OneLane::narrow<T>(other) == other;
  return {t, OneLane::abs(t) < OneLane::infinity() && (!half_way || fused(-r, n, x) == 0)};
}
// A T that an f64 holds, as its bits.
template <class T>
ONEFOLD_KERNEL uint64_t bits_of_answer(double v) {
  if constexpr (sizeof(T) == 8) {
    return bit_cast<uint64_t>(v);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<uint32_t>(static_cast<float>(v));
  } else if constexpr (dtype_of<T> == DType::bf16) {
    return bit_cast<uint32_t>(static_cast<float>(v)) >> 16;
  } else {
    const Real r = Real::of(v);
    return round_float<RoundingSteps{false, false, false, false}>(r, float_format(DType::f16));
  }
}

}  // namespace onefold::kernel
