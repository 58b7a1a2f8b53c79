// Formulas over the real numbers that several ops use.
#pragma once

#include "onefold/core/formula/statistics.hpp"
#include "onefold/core/gathered.hpp"

namespace onefold {

// The accumulators that an op of one array, or of two, needs for a statistic: those of the terms
// that its formula reads, and one that counts elements.
ONEFOLD_FN constexpr Accumulators needs_of(Statistic is, int arrays) {
  using enum Accumulator;
  const Terms terms = formula::terms_of(is);
  Accumulators needs = arrays == 2 ? pairs : tally;
  const auto add = [&](Term t, Accumulator of_one, Accumulator of_two) {
    if (terms.has(t)) needs = needs | (arrays == 2 ? of_two : of_one);
  };
  add(Term::x, sum, left_sum);
  add(Term::xx, sumsq, left_sumsq);
  add(Term::y, right_sum, right_sum);
  add(Term::yy, right_sumsq, right_sumsq);
  add(Term::xy, dot, dot);
  add(Term::xxx, sumcube, sumcube);
  add(Term::xxxx, sumfourth, sumfourth);
  return needs;
}

// Divides a spread (n Q - S^2 or n P - Sx Sy) by n (n - k), where k = p / q: spread q / (n (n q -
// p)). The answer is NaN if the divisor is not positive.
//   put(r, q)   makes q times the spread the numerator of r
//   own         k if none is given
//   of_mean     divides by n once more
template <int own = 0, bool of_mean = false, class G, class Put>
ONEFOLD_FN constexpr RealOf<G> over_freedom(const G& g, Size n, const Put& put) {
  using Real = RealOf<G>;
  Real r;
  const auto p = static_cast<Int128>(g.correction.numerator_or(own));
  const auto q = static_cast<Int128>(g.correction.denominator);
  const Int128 left = static_cast<Int128>(n) * q - p;
  if (left <= 0) return Real::nan();
  put(r, static_cast<uint32_t>(q));
  r.n = n;
  r.left = static_cast<Uint128>(left);
  if constexpr (of_mean) {
    if (bit_length(r.n) > 48) return Real::bad(Status::overflow);
    r.n *= n;
    if constexpr (requires { r.of_mean; }) r.of_mean = true;
  }
  // One division instead of two if the product fits. In a recipe, divisors have at most 53 bits.
  constexpr bool is_recipe = !requires { r.numerator.exponent; };
  if (bit_length(r.n) + bit_length(r.left) <= (is_recipe ? 53 : 96)) {
    r.n *= r.left;
    r.left = 1;
  }
  return r;
}

// Returns the variance, (n Q - S^2) / (n (n - ddof)); or that of the mean, a further n-th.
template <int own_ddof = 0, bool of_mean = false, class G>
ONEFOLD_FN constexpr RealOf<G> variance(const G& g) {
  using Real = RealOf<G>;
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.n == 0 || t.infinite()) return Real::nan();
  return over_freedom<own_ddof, of_mean>(g, t.n,
                                         [&](Real& to, uint32_t q) { to.numerator = g.spread(q); });
}

// Returns a central moment, or a ratio of such: NaN if an element is not finite, or if there is
// none.
template <Statistic is, class G>
ONEFOLD_FN constexpr RealOf<G> moment(const G& g) {
  using Real = RealOf<G>;
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  return t.n == 0 || t.infinite() ? Real::nan() : g.template statistic<is>();
}

// Returns a ratio of central moments, of the elements or (ddof 1) estimated from them as a sample.
template <Statistic is, class G>
ONEFOLD_FN constexpr RealOf<G> ratio_of_moments(const G& g) {
  const Correction& k = g.correction;
  return k.numerator == 0 || is_of_sample(k) ? moment<is>(g) : RealOf<G>::nan();
}
// Returns the mean of the powers that an accumulator sums up.
template <Statistic is, class G>
ONEFOLD_FN constexpr RealOf<G> raw_moment(const G& g, Accumulator powers) {
  using Real = RealOf<G>;
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.n == 0) return Real::nan();
  if (t.infinite()) {
    const bool odd = is == Statistic::raw_third;
    if (odd && t.positive_infinity != 0 && t.negative_infinity != 0) return Real::nan();
    return Real::infinity(odd && t.negative_infinity != 0);
  }
  if constexpr (requires { r.numerator.exponent; }) {
    const auto sum = g.limbs(powers);
    r.numerator = sum.magnitude;
    r.negative = sum.negative && !sum.magnitude.zero();
    r.n = t.n;
    return r;
  } else {
    return g.template statistic<is>();
  }
}

// Returns true if NaN or infinities decide an answer about differences, and sets `answer`.
template <class G>
ONEFOLD_FN constexpr bool settled_difference(const G& g, const PairTally& t, RealOf<G>& answer) {
  using Real = RealOf<G>;
  if (settled_by_nan(g, t.nan, answer)) return true;
  if (t.infinite == 0) return false;
  answer = t.same_infinity != 0 ? Real::nan() : Real::infinity();
  return true;
}
// Returns the sum of squared differences.
template <class G>
ONEFOLD_FN constexpr RealOf<G> squared_difference(const G& g, const PairTally& t) {
  RealOf<G> r;
  if (!settled_difference(g, t, r)) r.numerator = g.squared_difference();
  return r;
}
// Returns the answer of an op of two arrays: NaN if a pair is not finite, or if there is no pair.
// If all pairs are finite, number() computes it.
template <class G, class Number>
ONEFOLD_FN constexpr RealOf<G> relation(const G& g, const Number& number) {
  using Real = RealOf<G>;
  const PairTally t = g.pair_tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  return t.n == 0 || t.infinite != 0 ? Real::nan() : number();
}
template <Statistic is, class G>
ONEFOLD_FN constexpr RealOf<G> relation(const G& g) {
  return relation(g, [&] { return g.template statistic<is>(); });
}

// Returns the variance of x plus that of y.
template <class G>
ONEFOLD_FN constexpr RealOf<G> total_variance(const G& g) {
  return relation(g, [&] {
    return over_freedom(g, g.pair_tally().n,
                        [&](RealOf<G>& to, uint32_t q) { to.numerator = g.total_spread(q); });
  });
}

// Returns the larger of two values >= 0, which are finite or infinite.
ONEFOLD_FN constexpr Real larger_magnitude(const Real& a, const Real& b) {
  if (a.kind != Real::Kind::finite) return a;
  if (b.kind != Real::Kind::finite) return b;
  return compare(a.numerator, b.numerator) < 0 ? b : a;
}

// Returns high - low, for high >= low; exact cancellation gives +0.
ONEFOLD_FN constexpr Real difference(const Real& high, const Real& low) {
  if (high.kind == Real::Kind::bad || high.kind == Real::Kind::nan) return high;
  const bool infinite = high.kind == Real::Kind::infinite || low.kind == Real::Kind::infinite;
  if (infinite) {
    const bool same = high.kind == low.kind && high.negative == low.negative;
    return same ? Real::nan() : Real::infinity();
  }
  const bool swap = compare(high.numerator, low.numerator) < 0;
  const Real &a = swap ? low : high, &b = swap ? high : low;
  Real r;
  r.numerator = combine(a.numerator, b.numerator, high.negative == low.negative);
  return r;
}

}  // namespace onefold
