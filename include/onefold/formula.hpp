// Formulas over the reals that more than one op uses.
#pragma once

#include "onefold/gathered.hpp"

namespace onefold {

// Divides a spread (n Q - S^2 or n P - Sx Sy) by n (n - k), where k = p / (q 2^s): spread q 2^s /
// (n (n q 2^s - p)); NaN if the divisor is not positive. If its last factor is too long for a
// division by Real, Gathered divides.
//   put(r, q)  makes the spread, times q, the numerator of r
template <class G, class Put>
ONEFOLD_FN constexpr RealOf<G> over_freedom(const G& g, Size n, const Put& put) {
  using Real = RealOf<G>;
  Real r;
  const auto p = static_cast<Int128>(g.correction.numerator);
  const auto q = static_cast<Int128>(g.correction.denominator);
  const auto shift = static_cast<int>(g.correction.shift);
  constexpr bool scales = requires { r.numerator.exponent; };
  if (!scales && shift != 0) return Real::nan();  // a recipe leaves it to exact words
  const Int128 left = (static_cast<Int128>(n) * q << shift) - p;
  if (left <= 0) return Real::nan();
  put(r, static_cast<uint32_t>(q));
  if constexpr (scales) r.numerator.exponent += shift;
  r.n = n;
  r.left = static_cast<Uint128>(left);
  // One division instead of two, if the product fits; a recipe's divisors have 53 bits.
  if (bit_length(r.n) + bit_length(r.left) <= (scales ? 96 : 53)) {
    r.n *= r.left;
    r.left = 1;
  }
  return r;
}

// (n Q - S^2) / (n (n - ddof)).
template <class G>
ONEFOLD_FN constexpr RealOf<G> variance(const G& g) {
  using Real = RealOf<G>;
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  if (t.n == 0 || t.infinite()) return Real::nan();
  if constexpr (requires { g.long_variance(); }) {
    if (!g.correction.fits(t.n)) return g.long_variance();
  }
  return over_freedom(g, t.n, [&](Real& to, uint32_t q) { to.numerator = g.spread(q); });
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
// The sum of the squares of differences.
template <class G>
ONEFOLD_FN constexpr RealOf<G> squared_difference(const G& g, const PairTally& t) {
  RealOf<G> r;
  if (!settled_difference(g, t, r)) r.numerator = g.squared_difference();
  return r;
}
// The answer of an op of two arrays: NaN if a pair is not finite, or if there is no pair. number()
// computes it for finite pairs
template <class G, class Number>
ONEFOLD_FN constexpr RealOf<G> relation(const G& g, const Number& number) {
  using Real = RealOf<G>;
  const PairTally t = g.pair_tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  return t.n == 0 || t.infinite != 0 ? Real::nan() : number();
}

// Both finite or infinite and >= 0: the larger.
ONEFOLD_FN constexpr Real larger_magnitude(const Real& a, const Real& b) {
  if (a.kind != Real::Kind::finite) return a;
  if (b.kind != Real::Kind::finite) return b;
  return compare(a.numerator, b.numerator) < 0 ? b : a;
}

// high - low, high >= low; exact cancellation is +0.
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
