// The formulas of statistics.inl for single numbers, and the terms that each of them reads.
#pragma once

#include "onefold/term.hpp"

namespace onefold::formula {

#define ONEFOLD_FORMULA_FN ONEFOLD_FN
#include "onefold/formula/statistics.inl"
#undef ONEFOLD_FORMULA_FN

// The ratio that is v / (n (n - k)), for ddof k = taken / factor.
template <class N>
ONEFOLD_FN constexpr Ratio<N> over_freedom(const N& v, const N& n, const N& factor,
                                           const N& taken) {
  return {v * factor, n * (n * factor - taken), 2};
}

// A view that notes which terms a formula reads.
struct Reads {
  struct Number {
    ONEFOLD_FN friend constexpr Number operator*(Number, Number) { return {}; }
    ONEFOLD_FN friend constexpr Number operator-(Number, Number) { return {}; }
    ONEFOLD_FN friend constexpr Number operator+(Number, Number) { return {}; }
  };
  Terms* terms;
  ONEFOLD_FN constexpr Number operator()(Term t) const {
    *terms = *terms | t;
    return {};
  }
  ONEFOLD_FN constexpr Number over_freedom(Number v) const { return v; }
};
template <Statistic is>
ONEFOLD_FN constexpr Terms terms_of() {
  Terms terms;
  if constexpr (is_of_sums(is)) statistic<is>(Reads{&terms});
  return terms;
}
// The terms of a statistic that is known when the program runs.
ONEFOLD_FN constexpr Terms terms_of(Statistic is) {
  if (is_total(is)) return term_of(is);
  switch (is) {
    case Statistic::variance:
      return terms_of<Statistic::variance>();
    case Statistic::covariance:
      return terms_of<Statistic::covariance>();
    case Statistic::correlation:
      return terms_of<Statistic::correlation>();
    case Statistic::cosine:
      return terms_of<Statistic::cosine>();
    case Statistic::slope:
      return terms_of<Statistic::slope>();
    case Statistic::intercept:
      return terms_of<Statistic::intercept>();
    case Statistic::weighted_mean:
      return terms_of<Statistic::weighted_mean>();
    case Statistic::skewness:
      return terms_of<Statistic::skewness>();
    case Statistic::kurtosis:
      return terms_of<Statistic::kurtosis>();
    default:
      return {};
  }
}

}  // namespace onefold::formula
