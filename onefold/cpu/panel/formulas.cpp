// Answers that follow from several sums by a formula: relations of two arrays (cov, corr, slope,
// intercept, cosine, weighted means), moments of one (skewness, ..), and all with weights.
//
//   method    the formulas of formula/statistics.inl in two words and a bound
//   gives up  a weighted mean with P = 0, whose sign only exact words know; infinities; and
//             exponents beyond 500
#include "onefold/cpu/hot.hpp"
#include "onefold/cpu/panel/terms.hpp"
#include "onefold/engine/vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "onefold/cpu/panel/formulas.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_formulas_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "onefold/cpu/vocabulary.inl"

#include "onefold/cpu/panel/lanes.inl"

#include "onefold/cpu/panel/answers.inl"

#include "onefold/cpu/panel/rounding.inl"

#define ONEFOLD_FORMULA_FN HWY_INLINE HWY_ATTR
#include "onefold/core/formula/statistics.inl"
#undef ONEFOLD_FORMULA_FN

// Rounds a number to two words and a bound. The product (a.high + a.low) (b.high + b.low) omits
// a.low b.low and rounds three sums: the error is below 2^-100 of the product, or 2^-1070 if it is
// small. Bounds add 2^-1010 for that: some processors take 150 cycles for a subnormal addend.
HWY_INLINE HWY_ATTR QuickV two_words(const QuickV& q) {
  const QuickV n = q.normal();
  return {n.high, n.low, hn::Zero(d64), hn::Add(n.lost, hn::Abs(n.rest))};
}
HWY_INLINE HWY_ATTR QuickV two_words(V high, V low, V lost) {
  const auto t = two_sum<Lanes>(high, low);
  return {t.sum, t.rest, hn::Zero(d64), hn::Mul(lost, hn::Set(d64, 1 + 0x1p-40))};
}
HWY_INLINE HWY_ATTR QuickV operator*(const QuickV& a, const QuickV& b) {
  const auto p = Lanes::product(a.high, b.high);
  const V low = hn::Add(p.rest, hn::MulAdd(a.high, b.low, hn::Mul(a.low, b.high)));
  const V given = hn::MulAdd(hn::Abs(a.high), b.lost,
                             hn::MulAdd(hn::Abs(b.high), a.lost, hn::Mul(a.lost, b.lost)));
  const V rounded = hn::MulAdd(hn::Abs(p.sum), hn::Set(d64, 0x1p-100), hn::Set(d64, 0x1p-1010));
  return two_words(p.sum, low, hn::Add(given, rounded));
}
HWY_INLINE HWY_ATTR QuickV operator-(const QuickV& a, const QuickV& b) {
  const auto d = two_sum<Lanes>(a.high, hn::Neg(b.high));
  const V low = hn::Add(d.rest, hn::Sub(a.low, b.low));
  const V wide = hn::Add(hn::Abs(d.rest), hn::Add(hn::Abs(a.low), hn::Abs(b.low)));
  return two_words(d.sum, low, hn::MulAdd(wide, hn::Set(d64, 0x1p-50), hn::Add(a.lost, b.lost)));
}
HWY_INLINE HWY_ATTR QuickV operator+(const QuickV& a, const QuickV& b) {
  return a - QuickV{hn::Neg(b.high), hn::Neg(b.low), b.rest, b.lost};
}

// a b - c d, of two words each. Products of low words are omitted, and nine sums are rounded: the
// error is below 2^-102 of |a b| + |c d|.
HWY_INLINE HWY_ATTR QuickV cross(const QuickV& a, const QuickV& b, const QuickV& c,
                                 const QuickV& d) {
  const auto p = Lanes::product(a.high, b.high), r = Lanes::product(c.high, d.high);
  const auto high = two_sum<Lanes>(p.sum, hn::Neg(r.sum));
  const V ab = hn::MulAdd(a.high, b.low, hn::Mul(a.low, b.high));
  const V cd = hn::MulAdd(c.high, d.low, hn::Mul(c.low, d.high));
  const V low = hn::Add(hn::Add(high.rest, hn::Sub(p.rest, r.rest)), hn::Sub(ab, cd));
  const auto given = [](const QuickV& x, const QuickV& y) HWY_ATTR {
    return hn::MulAdd(hn::Abs(x.high), y.lost,
                      hn::MulAdd(hn::Abs(y.high), x.lost, hn::Mul(x.lost, y.lost)));
  };
  const V rounded = hn::MulAdd(hn::Add(hn::Abs(p.sum), hn::Abs(r.sum)), hn::Set(d64, 0x1p-101),
                               hn::Set(d64, 0x1p-1010));
  return two_words(high.sum, low, hn::Add(hn::Add(given(a, b), given(c, d)), rounded));
}

// Returns a with its sign turned where b is negative.
HWY_INLINE HWY_ATTR QuickV turned_by(const QuickV& a, const QuickV& b) {
  const V sign = hn::And(b.high, hn::Set(d64, -0.0));
  return {hn::Xor(a.high, sign), hn::Xor(a.low, sign), a.rest, a.lost};
}

// Returns a / b of normal numbers in two words. usable: the lanes where that is valid; exponents
// beyond 500 are not.
//   bound  the two words omit at most 2^-99 of the quotient: a.low, b.low and the first residue
//          are 2^-51 of their numbers, and each step rounds by 2^-52 or by the smallest number. The
//          divisor is at least half of its known part
HWY_INLINE HWY_ATTR QuickV quotient(const QuickV& a, const QuickV& b, hn::Mask<D>& usable) {
  const V tiny = hn::Set(d64, 0x1p-500), huge = hn::Set(d64, 0x1p500), size = hn::Abs(b.high);
  const V per = hn::Div(hn::Set(d64, 1), b.high);
  const V q1 = hn::Mul(a.high, per), q = hn::Abs(q1);
  const V left = hn::Add(Lanes::residue(a.high, q1, b.high), hn::NegMulAdd(q1, b.low, a.low));
  const V given = hn::MulAdd(q, b.lost, a.lost);
  const V bound =
      hn::MulAdd(hn::Add(given, given), hn::Abs(per), hn::Mul(q, hn::Set(d64, 0x1p-98)));
  const auto within = [&](V v) HWY_ATTR { return hn::And(hn::Lt(tiny, v), hn::Lt(v, huge)); };
  usable = hn::And(hn::And(within(hn::Abs(a.high)), within(size)),
                   hn::Lt(hn::Add(b.lost, b.lost), size));
  return {q1, hn::Mul(left, per), hn::Zero(d64),
          hn::MulAdd(bound, hn::Set(d64, 1 + 0x1p-40), hn::Set(d64, 0x1p-1010))};
}

// A number that is yet to be divided by n (n - ddof).
struct OverCounts {
  QuickV number;
};

// The sums of a vector of answers.
template <PanelTerms terms>
struct Sums {
  using Number = QuickV;
  static constexpr bool weighted = terms.weighted;
  const QuickFormula& f;
  bool corrected;
  bool counted;
  V divisor, per;  // n (n - ddof), and 1 over that
  QuickV n, origin_x, origin_y, sum[terms.count];
  bool known[terms.count];

  HWY_INLINE HWY_ATTR Sums(const QuickFormula& of, const AnswerCounts* counts, const PanelTotals& t,
                           Size a, std::size_t r)
      : f(of),
        corrected(of.corrected),
        counted(counts != nullptr),
        divisor(counted ? count_at(counts->divisors, a, r) : hn::Set(d64, of.n * of.left)),
        per(counted ? hn::Div(hn::Set(d64, 1), divisor) : hn::Set(d64, 1 / (of.n * of.left))),
        n(QuickV::of(counted ? count_at(counts->elements, a, r) : hn::Set(d64, of.elements))),
        origin_x(QuickV::of(word(t, PanelTotals::origin, a, r))),
        origin_y(QuickV::of(word(t, PanelTotals::origin_y, a, r))) {
    for (int k = 0; k < terms.count; ++k) {
      QuickV q = number(t, terms.term[k].to, a, r);
      q.settle();
      known[k] = t.has(terms.term[k].to);
      const auto rest = static_cast<PanelTotals::Word>(terms.term[k].to + PanelTotals::rest);
      sum[k] = t.has(rest) ? two_words(q) : two_words(q.high, q.low, q.lost);
    }
  }
  // Where a sum of squares is exactly 0, so that each element is 0 or equals the first one.
  HWY_INLINE HWY_ATTR hn::Mask<D> nothing(Term squares) const {
    for (int k = 0; k < terms.count; ++k) {
      if (terms.term[k].of != squares || !known[k]) continue;
      return hn::And(sum[k].single(), hn::Eq(sum[k].high, hn::Zero(d64)));
    }
    return hn::FirstN(d64, 0);
  }
  HWY_INLINE HWY_ATTR const QuickV& operator()(Term t) const {
    for (int k = 0; k < terms.count; ++k) {
      if (terms.term[k].of == t) return sum[k];
    }
    return n;
  }
  HWY_INLINE HWY_ATTR QuickV fewer(int k) const {
    return QuickV::of(hn::Sub(n.high, hn::Set(d64, k)));
  }
  // Weights are not counted: the square of their sum is in the place of n (n - ddof).
  HWY_INLINE HWY_ATTR auto over_freedom(QuickV q) const {
    if constexpr (terms.weighted) {
      const QuickV w = (*this)(Term::one);
      return Ratio<QuickV>{q, w * w};
    } else {
      return OverCounts{f.factor == 1 ? q : q * QuickV::of(hn::Set(d64, f.factor))};
    }
  }
  // Divides by n (n - ddof). near: with one product, but not near 0.
  HWY_INLINE HWY_ATTR QuickV over_counts(const QuickV& q, bool near, hn::Mask<D>& usable) const {
    usable = hn::Eq(q.high, q.high);
    if (counted || f.n * f.left < 0x1p50) {
      return near ? near_quotient(q, divisor, per, usable) : q.over(divisor);
    }
    const QuickV over = f.n == 1 ? q : q.over(hn::Set(d64, f.n));
    return f.left == 1 ? over : over.over(hn::Set(d64, f.left));
  }
};
// Returns the answer before rounding, and the lanes in which it is usable.
HWY_INLINE HWY_ATTR QuickV answer_of(const QuickV& q, hn::Mask<D>& usable) {
  usable = hn::Eq(q.high, q.high);
  return q;
}
HWY_INLINE HWY_ATTR QuickV answer_of(const Ratio<QuickV>& r, hn::Mask<D>& usable) {
  return quotient(r.a, r.b, usable);
}
HWY_INLINE HWY_ATTR QuickV answer_of(const OverRoot<QuickV>& r, hn::Mask<D>& usable) {
  hn::Mask<D> rooted;
  const QuickV q = near_root(r.b * r.c, rooted);
  const QuickV over = quotient(r.a, two_words(q.high, q.low, q.lost), usable);
  usable = hn::And(usable, rooted);
  return over;
}

// The answers for a constant input: a quotient by its variance is NaN, others are 0. (Moments about
// 0 are not settled by that.)
struct ConstantInput {
  hn::Mask<D> where;
  V value;
};
template <Statistic is, PanelTerms terms>
HWY_INLINE HWY_ATTR ConstantInput settled_by(const Sums<terms>& s) {
  const V zero = hn::Zero(d64);
  const auto finite = hn::Lt(hn::Abs(s.sum[0].high), Lanes::infinity());
  const auto x = hn::And(finite, s.nothing(Term::xx)), y = hn::And(finite, s.nothing(Term::yy));
  if constexpr (is == Statistic::weighted_mean || is_raw_moment(is)) {
    return {hn::Lt(zero, zero), zero};
  } else if constexpr (is == Statistic::total_variance) {
    return {hn::And(x, y), zero};
  } else if constexpr (is_zero_of_equals(is)) {
    return {hn::Or(x, y), zero};
  } else if constexpr (is == Statistic::correlation || is == Statistic::cosine) {
    return {hn::Or(x, y), not_a_number()};
  } else if constexpr (is == Statistic::slope) {
    // A constant x has no such answer, and sums of deviations from 0 do not show that x is
    // constant.
    const QuickV spread = spread_x(s);
    const auto flat = hn::And(y, hn::Lt(hn::Add(spread.lost, spread.lost), hn::Abs(spread.high)));
    return {hn::Or(x, flat), hn::IfThenElse(x, not_a_number(), zero)};
  } else {
    static_assert(is == Statistic::intercept || is_moment(is));
    return {x, not_a_number()};
  }
}

// Writes r answers if they are usable or settled. Returns the number of decided answers.
HWY_NOINLINE HWY_ATTR Size put_answers(const QuickV& q, hn::Mask<D> usable,
                                       const ConstantInput& settled, DType to, std::byte* out,
                                       uint8_t* decided, std::size_t r) {
  const auto beyond = hn::Not(hn::FirstN(d64, r));
  return visit(to, [&]<class T>() HWY_ATTR {
    if constexpr (Floating<T> && takes<T>) {
      hn::Mask<D> good;
      V v = round_near<T>(q.high, q.low, hn::Add(q.lost, hn::Abs(q.rest)), good);
      if (HWY_UNLIKELY(!hn::AllTrue(d64, hn::Or(good, hn::Or(settled.where, beyond))))) {
        v = q.template decide<T>(good);
      }
      put<T>(hn::IfThenElse(settled.where, settled.value, v), out, r);
      return mark(hn::Or(hn::And(good, usable), settled.where), decided, r);
    }
    std::memset(decided, 0, r);
    return Size{0};
  });
}

// Returns a statistic of terms times weights before rounding.
template <Statistic is, PanelTerms terms>
HWY_INLINE HWY_ATTR QuickV weighted_answer(const Sums<terms>& s, bool root, hn::Mask<D>& usable) {
  const V zero = hn::Zero(d64);
  const QuickV weight = s(Term::one);
  QuickV q;
  if constexpr (is_total(is)) {
    q = quotient(s(term_of(is)), weight, usable);
  } else {
    const auto answer = statistic<is>(s);
    q = answer_of(answer, usable);
    if constexpr (requires { answer.c; }) {  // spreads of weights of both signs
      const auto positive = hn::And(hn::Gt(answer.b.high, zero), hn::Gt(answer.c.high, zero));
      usable = hn::And(usable, positive);
    }
  }
  // Weights whose sum is 0 give NaN.
  usable = hn::And(usable, hn::Lt(hn::Add(weight.lost, weight.lost), hn::Abs(weight.high)));
  return root ? q.root() : q;
}

template <Statistic is, PanelTerms terms>
HWY_ATTR Size round(const QuickFormula& f, const AnswerCounts* counts, DType to,
                    const PanelTotals& t, Size n, std::byte* out, uint8_t* decided) {
  Size sure = 0;
  const Size bytes = bytes_of(to);
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    const Sums<terms> s(f, counts, t, a, r);
    hn::Mask<D> usable;
    const auto rounded = [&](const QuickV& q, const ConstantInput& settled) HWY_ATTR {
      return put_answers(q, usable, settled, to, out + a * bytes, decided + a, r);
    };
    if constexpr (terms.weighted) {
      const QuickV q = weighted_answer<is>(s, f.root, usable);
      sure += rounded(q, {hn::FirstN(d64, 0), hn::Zero(d64)});
    } else if constexpr (std::is_same_v<decltype(statistic<is>(s)), OverCounts>) {
      const QuickV q = statistic<is>(s).number;
      const ConstantInput settled = settled_by<is>(s);
      const auto answered = [&](bool near) HWY_ATTR {
        const QuickV over = s.over_counts(q, near, usable);
        return rounded(f.root && is == Statistic::total_variance ? over.root() : over, settled);
      };
      Size done = answered(true);
      if (HWY_UNLIKELY(done != r)) done = answered(false);
      sure += done;
    } else {
      const QuickV q = answer_of(statistic<is>(s), usable);
      sure += rounded(q, settled_by<is>(s));
    }
  }
  return sure;
}

template <bool weighted, Statistic is>
constexpr RoundTotals rounds =
    round<is, weighted ? panel_terms::weighted_terms(is) : panel_terms::of_formula(is)>;

template <bool weighted>
RoundTotals find(Statistic is) {
  switch (is) {
    case Statistic::covariance:
      return rounds<weighted, Statistic::covariance>;
    case Statistic::total_variance:
      return rounds<weighted, Statistic::total_variance>;
    case Statistic::correlation:
      return rounds<weighted, Statistic::correlation>;
    case Statistic::slope:
      return rounds<weighted, Statistic::slope>;
    case Statistic::intercept:
      return rounds<weighted, Statistic::intercept>;
    case Statistic::skewness:
      return rounds<weighted, Statistic::skewness>;
    case Statistic::kurtosis:
      return rounds<weighted, Statistic::kurtosis>;
    case Statistic::pearson:
      return rounds<weighted, Statistic::pearson>;
    case Statistic::third_moment:
      return rounds<weighted, Statistic::third_moment>;
    case Statistic::fourth_moment:
      return rounds<weighted, Statistic::fourth_moment>;
    default:
      break;
  }
  if constexpr (weighted) {
    switch (is) {
      case total_of(Term::x):
        return rounds<weighted, total_of(Term::x)>;
      case total_of(Term::squared_difference):
        return rounds<weighted, total_of(Term::squared_difference)>;
      case total_of(Term::distance):
        return rounds<weighted, total_of(Term::distance)>;
      case Statistic::variance:
        return rounds<weighted, Statistic::variance>;
      default:
        return nullptr;
    }
  }
  return is == Statistic::cosine          ? rounds<false, Statistic::cosine>
         : is == Statistic::weighted_mean ? rounds<false, Statistic::weighted_mean>
         : is == Statistic::raw_third     ? rounds<false, Statistic::raw_third>
         : is == Statistic::raw_fourth    ? rounds<false, Statistic::raw_fourth>
                                          : nullptr;
}

}  // namespace panel_formulas_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

RoundTotals formula_round([[maybe_unused]] Target target, [[maybe_unused]] Statistic is) {
  ONEFOLD_OF_TARGET(target, panel_formulas_of::find<false>(is));
  return nullptr;
}
RoundTotals weighted_round([[maybe_unused]] Target target, [[maybe_unused]] Statistic is) {
  ONEFOLD_OF_TARGET(target, panel_formulas_of::find<true>(is));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
