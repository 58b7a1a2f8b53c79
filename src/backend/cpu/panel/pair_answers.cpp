// Answers of two inputs (cov, corr, slope, intercept, cosine and weighted means), from sums of
// products, of squares and of elements.
//
//   method    the formulas of plan/pair_formula.cpp in two words and a bound. intercept undoes the
//             subtraction of the origins ox and oy: (Sy + n oy) (nQx - Sx^2) - (Sx + n ox) (nP -
//             SxSy) over n (nQx - Sx^2)
//   gives up  a weighted mean with P = 0, whose sign only exact words know; infinities; and
//             exponents beyond 500
#include "backend/cpu/hot.hpp"
#include "backend/cpu/pair_panels.hpp"
#include "vectors.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/panel/pair_answers.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#if ONEFOLD_VECTORS
HWY_BEFORE_NAMESPACE();
namespace onefold::cpu_backend::HWY_NAMESPACE {
namespace panel_pair_answers_of {
namespace hn = hwy::HWY_NAMESPACE;
#include "backend/cpu/vocabulary.inl"

#include "backend/cpu/panel/lanes.inl"

#include "backend/cpu/panel/answers.inl"

using Name = Recipe::Name;

// Rounds a number to two words and a bound. The product (a.high + a.low) (b.high + b.low) omits
// a.low b.low and rounds three sums: the error is below 2^-100 of the product, or 2^-1070 if it is
// small.
HWY_INLINE HWY_ATTR QuickV two_words(const QuickV& q) {
  const QuickV n = q.normal();
  return {n.high, n.low, hn::Zero(d64), hn::Add(n.lost, hn::Abs(n.rest))};
}
HWY_INLINE HWY_ATTR QuickV two_words(V high, V low, V lost) {
  const auto t = two_sum<Lanes>(high, low);
  return {t.sum, t.rest, hn::Zero(d64), hn::Mul(lost, hn::Set(d64, 1 + 0x1p-40))};
}
HWY_INLINE HWY_ATTR QuickV times(const QuickV& a, const QuickV& b) {
  const auto p = Lanes::product(a.high, b.high);
  const V low = hn::Add(p.rest, hn::MulAdd(a.high, b.low, hn::Mul(a.low, b.high)));
  const V given = hn::MulAdd(hn::Abs(a.high), b.lost,
                             hn::MulAdd(hn::Abs(b.high), a.lost, hn::Mul(a.lost, b.lost)));
  const V rounded = hn::MulAdd(hn::Abs(p.sum), hn::Set(d64, 0x1p-100), hn::Set(d64, 0x1p-1070));
  return two_words(p.sum, low, hn::Add(given, rounded));
}
HWY_INLINE HWY_ATTR QuickV minus(const QuickV& a, const QuickV& b) {
  const auto d = two_sum<Lanes>(a.high, hn::Neg(b.high));
  const V low = hn::Add(d.rest, hn::Sub(a.low, b.low));
  const V wide = hn::Add(hn::Abs(d.rest), hn::Add(hn::Abs(a.low), hn::Abs(b.low)));
  return two_words(d.sum, low, hn::MulAdd(wide, hn::Set(d64, 0x1p-50), hn::Add(a.lost, b.lost)));
}

// Returns a / b of normal numbers in two words. usable: the lanes where that is valid; exponents
// beyond 500 are not.
//   bound  the two words omit at most 2^-101 of the quotient: a.low, b.low and the first residue
//          are 2^-53 of their numbers, and each step rounds by 2^-53 or by the smallest number. The
//          divisor is at least half of its known part
HWY_INLINE HWY_ATTR QuickV quotient(const QuickV& a, const QuickV& b, hn::Mask<D>& usable) {
  const V tiny = hn::Set(d64, 0x1p-500), huge = hn::Set(d64, 0x1p500), size = hn::Abs(b.high);
  const V q1 = hn::Div(a.high, b.high), q = hn::Abs(q1);
  const V left = hn::Add(Lanes::residue(a.high, q1, b.high), hn::NegMulAdd(q1, b.low, a.low));
  const V given = hn::MulAdd(q, b.lost, a.lost);
  const V bound = hn::Add(hn::Div(hn::Add(given, given), size), hn::Mul(q, hn::Set(d64, 0x1p-98)));
  const auto within = [&](V v) HWY_ATTR { return hn::And(hn::Lt(tiny, v), hn::Lt(v, huge)); };
  usable = hn::And(hn::And(within(hn::Abs(a.high)), within(size)),
                   hn::Lt(hn::Add(b.lost, b.lost), size));
  return {q1, hn::Div(left, b.high), hn::Zero(d64),
          hn::MulAdd(bound, hn::Set(d64, 1 + 0x1p-40), hn::Set(d64, 0x1p-1072))};
}

// The sums of a vector of answers.
struct Sums {
  QuickV n, xy, xx, yy, x, y, origin_x, origin_y;

  HWY_INLINE HWY_ATTR Sums(double elements, const Totals& t, Size a, std::size_t r)
      : n(QuickV::of(hn::Set(d64, elements))),
        xy(total(t, Totals::high, a, r)),
        xx(total(t, Totals::square, a, r)),
        yy(total(t, Totals::square_y, a, r)),
        x(total(t, Totals::sum_x, a, r)),
        y(total(t, Totals::sum_y, a, r)),
        origin_x(QuickV::of(word(t, Totals::origin, a, r))),
        origin_y(QuickV::of(word(t, Totals::origin_y, a, r))) {}
  HWY_INLINE HWY_ATTR static QuickV total(const Totals& t, int first, Size a, std::size_t r) {
    QuickV q = number(t, first, a, r);
    q.settle();
    return two_words(q);
  }
  HWY_INLINE HWY_ATTR const QuickV& weights() const { return xx; }
  HWY_INLINE HWY_ATTR QuickV common() const { return minus(times(n, xy), times(x, y)); }
  HWY_INLINE HWY_ATTR QuickV spread_x() const { return minus(times(n, xx), times(x, x)); }
  HWY_INLINE HWY_ATTR QuickV spread_y() const { return minus(times(n, yy), times(y, y)); }
  HWY_INLINE HWY_ATTR QuickV from_0(const QuickV& sum, const QuickV& origin) const {
    const V zero = hn::Zero(d64);
    const QuickV o = times(n, origin);
    return minus(sum, {hn::Neg(o.high), hn::Neg(o.low), zero, o.lost});
  }
};
// Returns where a sum of squares is exactly 0, so that each element is 0 or equals the first one.
HWY_INLINE HWY_ATTR hn::Mask<D> nothing(const QuickV& squares) {
  return hn::And(squares.single(), hn::Eq(squares.high, hn::Zero(d64)));
}

// Returns the answer before rounding, and the lanes in which it is usable.
template <Name formula>
HWY_INLINE HWY_ATTR QuickV answer_of(const QuickFormula& f, const Sums& s, hn::Mask<D>& usable) {
  const auto over_root = [&](const QuickV& a, const QuickV& b, const QuickV& c) HWY_ATTR {
    return quotient(a, two_words(times(b, c).root()), usable);
  };
  if constexpr (formula == Name::weighted_mean) {
    return quotient(s.xy, s.weights(), usable);
  } else if constexpr (formula == Name::cosine) {
    return over_root(s.xy, s.xx, s.yy);
  } else if constexpr (formula == Name::correlation) {
    return over_root(s.common(), s.spread_x(), s.spread_y());
  } else if constexpr (formula == Name::slope) {
    return quotient(s.common(), s.spread_x(), usable);
  } else if constexpr (formula == Name::intercept) {
    const QuickV spread = s.spread_x();
    const QuickV a = times(s.from_0(s.y, s.origin_y), spread),
                 b = times(s.from_0(s.x, s.origin_x), s.common());
    return quotient(minus(a, b), times(s.n, spread), usable);
  } else {
    static_assert(formula == Name::common_spread);
    usable = hn::Eq(s.xy.high, s.xy.high);
    QuickV q = s.common();
    if (f.factor != 1) q = times(q, QuickV::of(hn::Set(d64, f.factor)));
    if (f.n != 1) q = q.over(hn::Set(d64, f.n));
    return f.left == 1 ? q : q.over(hn::Set(d64, f.left));
  }
}

// The answers for a constant input: a quotient by its variance is NaN, others are 0.
struct Settled {
  hn::Mask<D> where;
  V value;
};
template <Name formula>
HWY_INLINE HWY_ATTR Settled settled_by(const Sums& s) {
  const V zero = hn::Zero(d64);
  const auto finite = hn::Lt(hn::Abs(s.xy.high), Lanes::infinity());
  const auto x = hn::And(finite, nothing(s.xx)), y = hn::And(finite, nothing(s.yy));
  if constexpr (formula == Name::weighted_mean) {
    return {hn::Lt(zero, zero), zero};
  } else if constexpr (formula == Name::common_spread) {
    return {hn::Or(x, y), zero};
  } else if constexpr (formula == Name::correlation || formula == Name::cosine) {
    return {hn::Or(x, y), not_a_number()};
  } else if constexpr (formula == Name::slope) {
    // A constant x has no such answer, and sums of deviations from 0 do not show that x is
    // constant.
    const QuickV spread = s.spread_x();
    const auto flat = hn::And(y, hn::Lt(hn::Add(spread.lost, spread.lost), hn::Abs(spread.high)));
    return {hn::Or(x, flat), hn::IfThenElse(x, not_a_number(), zero)};
  } else {
    static_assert(formula == Name::intercept);
    return {x, not_a_number()};
  }
}

// Writes r answers if they are usable or settled. Returns the number of decided answers.
HWY_NOINLINE HWY_ATTR Size put_answers(const QuickV& q, hn::Mask<D> usable, const Settled& settled,
                                       DType to, std::byte* out, uint8_t* decided, std::size_t r) {
  return visit(to, [&]<class T>() HWY_ATTR {
    if constexpr (Floating<T> && takes<T>) {
      hn::Mask<D> good;
      const V v = q.template decide<T>(good);
      put<T>(hn::IfThenElse(settled.where, settled.value, v), out, r);
      return mark(hn::Or(hn::And(good, usable), settled.where), decided, r);
    }
    std::memset(decided, 0, r);
    return Size{0};
  });
}

template <Name formula>
HWY_ATTR Size round(const QuickFormula& f, DType to, const Totals& t, Size n, std::byte* out,
                    uint8_t* decided) {
  Size sure = 0;
  const Size bytes = bytes_of(to);
  for (Size a = 0; a < n; a += N) {
    const std::size_t r = n - a < N ? n - a : N;
    const Sums s(f.elements, t, a, r);
    hn::Mask<D> usable;
    const QuickV q = answer_of<formula>(f, s, usable);
    sure += put_answers(q, usable, settled_by<formula>(s), to, out + a * bytes, decided + a, r);
  }
  return sure;
}

RoundTotals find(Name f) {
  switch (f) {
    case Name::common_spread:
      return round<Name::common_spread>;
    case Name::correlation:
      return round<Name::correlation>;
    case Name::slope:
      return round<Name::slope>;
    case Name::intercept:
      return round<Name::intercept>;
    case Name::cosine:
      return round<Name::cosine>;
    case Name::weighted_mean:
      return round<Name::weighted_mean>;
    case Name::squared_difference:
    case Name::absolute_difference:
    case Name::greatest_difference:
    case Name::nothing:
    case Name::sum:
    case Name::sumabs:
    case Name::sumsq:
    case Name::dot:
    case Name::spread:
    case Name::least:
    case Name::greatest:
    case Name::ptp:
    case Name::norminf:
    case Name::zeros:
      return nullptr;
  }
  return nullptr;
}

}  // namespace panel_pair_answers_of
}  // namespace onefold::cpu_backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace onefold::cpu_backend {

RoundTotals panel_pair_round([[maybe_unused]] Target target, [[maybe_unused]] Recipe::Name f) {
  ONEFOLD_OF_TARGET(target, panel_pair_answers_of::find(f));
  return nullptr;
}

}  // namespace onefold::cpu_backend
#endif
