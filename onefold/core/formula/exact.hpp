// Exact answers of formulas whose numbers are long integers (exact/long_integer.hpp).
//
//   rounded  128 bits of the quotient or more, and whether there is a remainder; Real does the
//            final rounding
#pragma once

#include "onefold/core/exact/long_integer.hpp"
#include "onefold/core/exact/real.hpp"
#include "onefold/core/formula/statistics.hpp"

namespace onefold::formula {

// Returns the ratio for elements in units of 2^unit. NaN: it divides by 0, or is the root of a
// negative number.
template <class N>
ONEFOLD_FN constexpr Real real_of(const Ratio<N>& r, int unit) {
  const bool below = !r.a.zero() && r.a.negative != r.b.negative;
  if (r.b.zero() || (r.root && below)) return Real::nan();
  Real v;
  v.negative = below;
  v.numerator = quotient(r.a, r.b, r.units * unit);
  v.root = r.root;
  return v;
}
// Returns the root of a^2 / (b c), with the sign of a. NaN: b c is negative, which it may be if
// weights have both signs.
template <class N>
ONEFOLD_FN constexpr Real real_of(const OverRoot<N>& r, int unit) {
  const N divisor = r.b * r.c;
  if (divisor.negative) return Real::nan();
  Real v = real_of(Ratio<N>{r.a * r.a, divisor, 0, true}, unit);
  v.negative = v.kind == Real::Kind::finite && r.a.negative;
  return v;
}

}  // namespace onefold::formula
