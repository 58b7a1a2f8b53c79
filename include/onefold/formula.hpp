// Formulas over the reals that more than one op uses.
#pragma once

#include "onefold/gathered.hpp"

namespace onefold {

// (n Q - S^2) / (n (n - k)) with k = p / q: (n Q - S^2) q / (n (n q - p)).
ONEFOLD_FN constexpr Real variance(const Gathered& g) {
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  const auto p = static_cast<Int128>(g.correction.numerator);
  const auto q = static_cast<Int128>(g.correction.denominator);
  const Int128 left = static_cast<Int128>(t.n) * q - p;
  if (t.n == 0 || left <= 0 || t.infinite()) return Real::nan();
  const ExactSum s = g.limbs(Accumulator::sum), squares = g.limbs(Accumulator::sumsq);
  const Big nq = multiply(Big(t.n), squares.magnitude);
  const Big s2 = multiply(s.magnitude, s.magnitude);
  r.numerator = multiply(subtract(nq, s2), Big(static_cast<Uint128>(q)));
  r.denominator = multiply(Big(t.n), Big(static_cast<Uint128>(left)));
  r.exponent = squares.unit;  // the unit of S, twice
  return r;
}

// Both finite or infinite and >= 0: the larger.
ONEFOLD_FN constexpr Real larger_magnitude(const Real& a, const Real& b) {
  if (a.kind != Real::Kind::finite) return a;
  if (b.kind != Real::Kind::finite) return b;
  const int e = a.exponent < b.exponent ? a.exponent : b.exponent;
  return compare(shift_left(a.numerator, a.exponent - e), shift_left(b.numerator, b.exponent - e)) <
                 0
             ? b
             : a;
}

// high - low, high >= low; exact cancellation is +0.
ONEFOLD_FN constexpr Real difference(const Real& high, const Real& low) {
  if (high.kind == Real::Kind::bad || high.kind == Real::Kind::nan) return high;
  const bool infinite = high.kind == Real::Kind::infinite || low.kind == Real::Kind::infinite;
  if (infinite) {
    const bool same = high.kind == low.kind && high.negative == low.negative;
    return same ? Real::nan() : Real::infinity();
  }
  const int e = high.exponent < low.exponent ? high.exponent : low.exponent;
  const Big a = shift_left(high.numerator, high.exponent - e);
  const Big b = shift_left(low.numerator, low.exponent - e);
  Real r;
  r.exponent = e;
  if (high.negative != low.negative) {
    r.numerator = add(a, b);
  } else {
    r.numerator = compare(a, b) < 0 ? subtract(b, a) : subtract(a, b);
  }
  return r;
}

}  // namespace onefold
