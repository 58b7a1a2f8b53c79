// Decides statistics that follow from several sums by a formula: relations of two arrays (cov,
// corr, cosine, slope, intercept, average), and moments of one (skewness, kurtosis, ..).
//
//   e       a sum's error is at most e times the sum of its terms' magnitudes (relative_bound)
//   a, b    roots of the sums of x^2 and y^2, or of x^2 and x^4: magnitudes of x y, or of x^3, sum
//           to at most a b, those of elements to at most sqrt(n) a (Cauchy and Schwarz)
//   Near    answers to floats of up to 32 bits: sums of one f64
//   Wide    answers to f64, and to integers of up to 32 bits: sums of two f64. Small sums of
//           integers are exact, so that 0 and no spread are decided, too
//   open    an answer is undecided also where squares may underflow or overflow
#pragma once

#include "onefold/cuda/kernel/quick/bounded.hpp"
#include "onefold/cuda/kernel/quick/decide.hpp"

namespace onefold::kernel {

// The bounds of sums, without the sums: of those that formulas read.
//   Sums   TermSums (sums.hpp)
template <class Sums>
struct TermBounds {
  static constexpr Terms terms = Sums::terms;
  double n, e, xx, other, a, b, root_n;

  ONEFOLD_KERNEL TermBounds(const Sums& s, double elements, double relative)
      : n(elements),
        e(relative),
        xx(s.at(Term::xx).high * up),
        other(square_of_other(s) * up),
        a(root_above(xx)),
        b(root_above(other)),
        root_n(root_above(n)) {}
  ONEFOLD_KERNEL double operator()(Term t) const {
    switch (t) {
      case Term::x:
        return e * (root_n * a);
      case Term::y:
        return e * (root_n * b);
      case Term::xx:
        return e * xx;
      case Term::yy:
      case Term::xxxx:
        return e * other;
      case Term::xy:
      case Term::xxx:
        return e * (a * b);
      case Term::one:
        return 0;
      default:  // leaves the answer undecided
        return OneLane::infinity();
    }
  }
  // Whether squares of f64, products of sums with up to three factors of two arrays, or twelve of
  // one, and their bounds neither underflow nor overflow.
  ONEFOLD_KERNEL bool is_tame() const {
    if constexpr (terms.has(Term::xxxx)) return other > 0x1p-400 && other < 0x1p400;
    const bool other_is = !terms.has(Term::yy) || (other > 0x1p-500 && other < 0x1p500);
    return xx > 0x1p-500 && xx < 0x1p500 && other_is;
  }

 private:
  static constexpr double up = 1 + 0x1p-20;
  ONEFOLD_KERNEL static double square_of_other(const Sums& s) {
    if constexpr (terms.has(Term::yy)) return s.at(Term::yy).high;
    if constexpr (terms.has(Term::xxxx)) return s.at(Term::xxxx).high;
    return 0;
  }
};

template <class Sums>
struct NearView {
  using Number = Near;
  const Sums& sums;
  const TermBounds<Sums>& bounds;
  double scale;  // over n (n - ddof)
  bool corrected = false;

  ONEFOLD_KERNEL Near fewer(int k) const { return {bounds.n - k}; }
  ONEFOLD_KERNEL Near operator()(Term t) const {
    return {t == Term::one ? bounds.n : sums.at(t).high, bounds(t)};
  }
  ONEFOLD_KERNEL Ratio<Near> over_freedom(const Near& v) const {
    return {{v.value * scale, v.error * scale * (1 + 0x1p-20)}, {1}};
  }
};
template <class Sums>
struct WideView {
  using Number = Wide;
  const Sums& sums;
  const TermBounds<Sums>& bounds;
  const QuickFormula& f;
  bool corrected = false;

  ONEFOLD_KERNEL Wide fewer(int k) const { return {bounds.n - k}; }
  ONEFOLD_KERNEL Wide operator()(Term t) const {
    if (t == Term::one) return {bounds.n};
    return Wide::of(sums.at(t).high, sums.at(t).low, bounds(t));
  }
  ONEFOLD_KERNEL Ratio<Wide> over_freedom(const Wide& v) const {
    return {v * Wide{f.factor}, Wide{f.n} * Wide{f.left}};
  }
};

// Rounds a number, or its root.
template <class T, bool root>
ONEFOLD_KERNEL RoundingTest<T> decide_number(const Near& q) {
  RoundingTest<T> d = decide_near<T, root>(q.value, q.error, 1);
  d.decided = d.decided && q.value != 0;
  return d;
}
template <class T, bool root>
ONEFOLD_KERNEL RoundingTest<T> decide_number(const Wide& q) {
  const Wide r = root ? root_of(q) : q;
  bool decided = false;
  const double v =
      Quick<OneLane>{r.high, r.low, 0, r.error * (1 + 0x1p-20)}.template decide<T>(decided);
  return {static_cast<Nearest<T>>(v), decided && r.size() > 0x1p-900};
}

template <class T, Statistic is, bool root, class Sums>
ONEFOLD_KERNEL RoundingTest<T> decide_formula(const Sums& s, const AnswerFormula& made, double e) {
  const TermBounds bounds(s, made.formula.elements, e);
  const auto r = ratio_of(
      formula::statistic<is>(NearView<Sums>{s, bounds, made.scale, made.formula.corrected}));
  const Near q = is_over_freedom(is) ? r.a : quotient_of(r.a, r.b);
  const RoundingTest<T> d = decide_number<T, root>(q);
  // All elements are 0.
  const bool none = (is == Statistic::variance || is == Statistic::total_variance) && is_zero(q);
  return {d.value, none || (d.decided && (!is_moment(is) || bounds.is_tame()))};
}

//   whole   elements are integers
template <class T, Statistic is, bool root, bool whole, class Sums>
ONEFOLD_KERNEL RoundingTest<T> decide_wide_formula(const Sums& s, const QuickFormula& f, double e) {
  const TermBounds bounds(s, f.elements, e);
  // n Q, n P, S^2 and Sy Qx are below 2^100 then, as 106 bits hold them.
  const bool exact = whole && !is_moment(is) && bounds.n * (bounds.xx + bounds.other) < 0x1p66;
  const WideView<Sums> view{s, bounds, f, f.corrected};
  const auto r = ratio_of(known_if(exact, formula::statistic<is>(view)));
  const Wide q = quotient_of(r.a, r.b);
  RoundingTest<T> d = decide_number<T, root>(q);
  if (exact && (q.high != q.high || is_zero(q))) {
    d = {static_cast<Nearest<T>>(q.high), true};
  } else {
    d.decided = d.decided && (exact || bounds.is_tame());
  }
  return d;
}

}  // namespace onefold::kernel
