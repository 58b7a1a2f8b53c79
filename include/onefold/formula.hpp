// Formulas over the reals that more than one op uses.
#pragma once

#include "onefold/gathered.hpp"

namespace onefold {

// (n Q - S^2) / (n (n - k)) with k = p / q: (n Q - S^2) q / (n (n q - p)).
template <class G>
ONEFOLD_FN constexpr RealOf<G> variance(const G& g) {
  using Real = RealOf<G>;
  const Tally t = g.tally();
  Real r;
  if (settled_by_nan(g, t.nan, r)) return r;
  const auto p = static_cast<Int128>(g.correction.numerator);
  const auto q = static_cast<Int128>(g.correction.denominator);
  const Int128 left = static_cast<Int128>(t.n) * q - p;
  if (t.n == 0 || left <= 0 || t.infinite()) return Real::nan();
  r.numerator = g.spread(static_cast<uint32_t>(q));
  r.n = t.n;
  r.left = static_cast<Uint128>(left);
  if (bit_length(r.n) + bit_length(r.left) <= 96) {  // one division instead of two
    r.n *= r.left;
    r.left = 1;
  }
  return r;
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
