// Computes cov, corr, cosine, slope, intercept, average and total variances of two arrays from the
// exact words of their sums, by the formulas of formula/statistics.hpp. The same code runs on a
// processor and, in one thread, on a device.
//
//   exact    differences cancel without loss; corr and cosine are at most 1 by Cauchy and Schwarz,
//            and rounding keeps that
#pragma once

#include "onefold/core/formula/exact.hpp"
#include "onefold/core/gathered.hpp"

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

// The sums of pairs as long integers, which formulas read.
//   G  has pair_tally, dot_tally, and digits<A>(a), which reads canonical words
template <class T, class G>
struct PairNumbers {
  using Number = typename LongOf<G, digits_of_pairs<T>>::type;
  static constexpr int unit = unit_of<T>;
  const G& g;

  ONEFOLD_FN constexpr Number operator()(Term t) const {
    switch (t) {
      case Term::x:
        return sum<accumulator::left_sum<T>>(Accumulator::left_sum);
      case Term::y:
        return sum<accumulator::right_sum<T>>(Accumulator::right_sum);
      case Term::xx:
        return sum<accumulator::left_sumsq<T>>(Accumulator::left_sumsq);
      case Term::yy:
        return sum<accumulator::right_sumsq<T>>(Accumulator::right_sumsq);
      case Term::xy:
        return sum<accumulator::dot<T>>(Accumulator::dot);
      default:
        return Number(Uint128{g.pair_tally().n});
    }
  }

  ONEFOLD_FN constexpr Leading squared_difference() const {
    const Number p = (*this)(Term::xy);
    return leading((*this)(Term::xx) + (*this)(Term::yy) - (p + p), 2 * unit);
  }
  ONEFOLD_FN constexpr SignedMagnitude common_spread(uint32_t factor) const {
    const Number c = formula::spread_xy(*this) * Number(Uint128{factor});
    return {leading(c, 2 * unit), c.negative};
  }
  ONEFOLD_FN constexpr Leading total_spread(uint32_t factor) const {
    return leading(formula::total_spread(*this) * Number(Uint128{factor}), 2 * unit);
  }
  template <Statistic is>
  ONEFOLD_FN constexpr Real statistic() const {
    if constexpr (is == Statistic::weighted_mean) {
      return weighted_mean();
    } else {
      return real_of(formula::statistic<is>(*this), unit);
    }
  }

 private:
  // Returns P / Sw, with the rules of products and sums for NaN, infinities and zeros.
  ONEFOLD_FN constexpr Real weighted_mean() const {
    const Tally t = g.dot_tally();
    const auto mean = formula::weighted_mean(*this);
    const bool opposed = t.positive_infinity != 0 && t.negative_infinity != 0;
    if (g.pair_tally().right_infinite != 0 || t.invalid != 0 || opposed || mean.b.zero()) {
      return Real::nan();
    }
    if (t.infinite()) return Real::infinity((t.negative_infinity != 0) != mean.b.negative);
    Real r = real_of(mean, unit);
    if (r.numerator.zero()) r.negative = t.all_negative_zero && !mean.b.negative;
    return r;
  }
  template <class A>
  ONEFOLD_FN constexpr Number sum(Accumulator a) const {
    return Number(g.template digits<A>(a));
  }
};

}  // namespace onefold
