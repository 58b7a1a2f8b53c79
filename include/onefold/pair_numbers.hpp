// Computes cov, corr, cosine, slope, intercept and average of two arrays from the exact words of
// their sums, as quotients of long integers or roots of quotients. The same code runs on a
// processor and, in one thread, on a device.
//
//   value    (-1)^negative a / b, or its root; a, b are products and differences of exact sums
//   rounded  128 bits of the quotient or more, and whether there is a remainder; Real does the
//            final rounding
//   exact    differences cancel without loss; corr and cosine are at most 1 by Cauchy and Schwarz,
//            and rounding keeps that
#pragma once

#include "onefold/exact/long_integer.hpp"
#include "onefold/gathered.hpp"

namespace onefold {

// The digits of the longest number: n P - Sx Sy has three digits more than P has limbs, its square
// twice as many, and a quotient needs six more.
template <class T>
inline constexpr int digits_of_pairs = 2 * accumulator::dot<T>::limbs + 16;

// The long integers of a view: G::Long, or LongInteger.
template <class G, int N>
struct LongOf {
  using type = LongInteger<N>;
};
template <class G, int N>
requires requires { typename G::template Long<N>; }
struct LongOf<G, N> {
  using type = typename G::template Long<N>;
};

//   G  has pair_tally, dot_tally, and digits<A>(a), which reads canonical words
template <class T, class G>
struct PairNumbers {
  using Number = typename LongOf<G, digits_of_pairs<T>>::type;
  static constexpr int unit = unit_of<T>;
  const G& g;

  ONEFOLD_FN constexpr Number n() const { return Number(Uint128{g.pair_tally().n}); }
  ONEFOLD_FN constexpr Number x() const {
    return sum<accumulator::left_sum<T>>(Accumulator::left_sum);
  }
  ONEFOLD_FN constexpr Number y() const {
    return sum<accumulator::right_sum<T>>(Accumulator::right_sum);
  }
  ONEFOLD_FN constexpr Number xx() const {
    return sum<accumulator::left_sumsq<T>>(Accumulator::left_sumsq);
  }
  ONEFOLD_FN constexpr Number yy() const {
    return sum<accumulator::right_sumsq<T>>(Accumulator::right_sumsq);
  }
  ONEFOLD_FN constexpr Number xy() const { return sum<accumulator::dot<T>>(Accumulator::dot); }

  // n P - Sx Sy, from which cov, corr and slope are computed. n Q - S^2 is the same with one array
  // twice.
  ONEFOLD_FN constexpr Number centred(const Number& products, const Number& a,
                                      const Number& b) const {
    return n() * products - a * b;
  }
  ONEFOLD_FN constexpr Number common() const { return centred(xy(), x(), y()); }

  ONEFOLD_FN constexpr Leading squared_difference() const {
    const Number p = xy();
    return leading(xx() + yy() - (p + p), 2 * unit);
  }
  ONEFOLD_FN constexpr ExactSum common_spread(uint32_t factor) const {
    const Number c = common() * Number(Uint128{factor});
    return {leading(c, 2 * unit), c.negative};
  }
  ONEFOLD_FN constexpr Real correlation() const {
    const Number spread_x = centred(xx(), x(), x()), spread_y = centred(yy(), y(), y());
    return over_root(common(), spread_x, spread_y);
  }
  ONEFOLD_FN constexpr Real cosine() const { return over_root(xy(), xx(), yy()); }
  ONEFOLD_FN constexpr Real slope() const {
    const Number spread_x = centred(xx(), x(), x());
    return spread_x.zero() ? Real::nan() : ratio(common(), spread_x, 0);
  }
  ONEFOLD_FN constexpr Real intercept() const {
    const Number spread_x = centred(xx(), x(), x());
    if (spread_x.zero()) return Real::nan();
    return ratio(y() * xx() - x() * xy(), spread_x, unit);
  }
  // Returns P / Sw, with the rules of products and sums for NaN, infinities and zeros.
  ONEFOLD_FN constexpr Real weighted_mean() const {
    const Tally t = g.dot_tally();
    const Number weights = y();
    const bool opposed = t.positive_infinity != 0 && t.negative_infinity != 0;
    if (g.pair_tally().right_infinite != 0 || t.invalid != 0 || opposed || weights.zero()) {
      return Real::nan();
    }
    if (t.infinite()) return Real::infinity((t.negative_infinity != 0) != weights.negative);
    Real r = ratio(xy(), weights, unit);
    if (r.numerator.zero()) r.negative = t.all_negative_zero && !weights.negative;
    return r;
  }

 private:
  template <class A>
  ONEFOLD_FN constexpr Number sum(Accumulator a) const {
    return Number(g.template digits<A>(a));
  }
  ONEFOLD_FN static constexpr Real ratio(const Number& a, const Number& b, int unit) {
    Real r;
    r.negative = !a.zero() && a.negative != b.negative;
    r.numerator = quotient(a, b, unit);
    return r;
  }
  // Returns a / sqrt(b c); b and c are not negative.
  ONEFOLD_FN static constexpr Real over_root(const Number& a, const Number& b, const Number& c) {
    if (b.zero() || c.zero()) return Real::nan();
    Real r = ratio(a * a, b * c, 0);
    r.root = true;
    r.negative = a.negative;
    return r;
  }
};

}  // namespace onefold
