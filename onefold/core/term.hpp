// The vocabulary of sums: what a fold adds up, and which statistics follow from sums.
//
//   factor     what is made of one element of each array, x and y
//   term       a product of up to two factors; a fold sums terms over its elements, and with
//              weights each term times w
//   statistic  what an op answers with: the total of a term, or a formula over totals
//              (formula/statistics.hpp), or an extreme
//
// Accumulators, panels, lanes of kernels, and folds with weights all name sums by these words.
#pragma once

#include "onefold/core/base.hpp"

namespace onefold {

// zero: 1 if x is 0, else 0; square: x^2; magnitude: |x|; difference: x - y; distance: |x - y|.
enum class Factor : uint8_t { one, zero, x, y, square, magnitude, difference, distance };

// The total of `one` is the number of elements or, with weights, the sum of the weights.
#define ONEFOLD_TERMS \
  one, x, y, xx, yy, xy, squared_difference, distance, magnitude, zero, xxx, xxxx
enum class Term : uint8_t { ONEFOLD_TERMS };

struct Factors {
  Factor a, b = Factor::one;
  ONEFOLD_FN constexpr bool is_product() const { return b != Factor::one; }
  ONEFOLD_FN constexpr bool never_negative() const {
    return a == b || a == Factor::zero || a == Factor::magnitude || a == Factor::distance;
  }
  ONEFOLD_FN constexpr bool reads_y() const { return is_of_y(a) || is_of_y(b); }

 private:
  ONEFOLD_FN static constexpr bool is_of_y(Factor f) {
    return f == Factor::y || f == Factor::difference || f == Factor::distance;
  }
};
ONEFOLD_FN constexpr Factors factors_of(Term t) {
  switch (t) {
    case Term::one:
      return {Factor::one};
    case Term::x:
      return {Factor::x};
    case Term::y:
      return {Factor::y};
    case Term::xx:
      return {Factor::x, Factor::x};
    case Term::yy:
      return {Factor::y, Factor::y};
    case Term::xy:
      return {Factor::x, Factor::y};
    case Term::squared_difference:
      return {Factor::difference, Factor::difference};
    case Term::distance:
      return {Factor::distance};
    case Term::magnitude:
      return {Factor::magnitude};
    case Term::zero:
      return {Factor::zero};
    case Term::xxx:
      return {Factor::x, Factor::square};
    case Term::xxxx:
      return {Factor::square, Factor::square};
  }
  return {Factor::one};
}
// Returns a term's degree: totals of elements in units of 2^u are in units of 2^(degree u).
ONEFOLD_FN constexpr int units_of(Term t) {
  const auto units = [](Factor f) {
    return f == Factor::one || f == Factor::zero ? 0 : f == Factor::square ? 2 : 1;
  };
  return units(factors_of(t).a) + units(factors_of(t).b);
}

// A set of terms, sorted as they are listed above.
struct Terms {
  uint32_t bits = 0;

  constexpr Terms() = default;
  ONEFOLD_FN constexpr explicit Terms(uint32_t b) : bits(b) {}
  ONEFOLD_FN constexpr Terms(Term t) : bits(uint32_t{1} << static_cast<int>(t)) {}
  ONEFOLD_FN constexpr bool has(Term t) const { return (bits >> static_cast<int>(t) & 1) != 0; }
  ONEFOLD_FN constexpr bool empty() const { return bits == 0; }
  ONEFOLD_FN constexpr bool within(Terms o) const { return (bits & ~o.bits) == 0; }
  ONEFOLD_FN constexpr Terms without(Terms o) const { return Terms(bits & ~o.bits); }
  ONEFOLD_FN constexpr int count() const {
    int n = 0;
    for (uint32_t b = bits; b != 0; b &= b - 1) ++n;
    return n;
  }
  // Returns how many terms of the set come before t, which is the place of t in a set that has it.
  ONEFOLD_FN constexpr int place_of(Term t) const {
    return Terms(bits & (Terms(t).bits - 1)).count();
  }
  ONEFOLD_FN friend constexpr Terms operator|(Terms a, Terms b) { return Terms(a.bits | b.bits); }
};
ONEFOLD_FN constexpr Terms operator|(Term a, Term b) { return Terms(a) | Terms(b); }

// First the totals, each named after its term; then what follows from several totals by a formula;
// then extremes. The functions below rely on this order.
enum class Statistic : uint8_t {
  ONEFOLD_TERMS,
  variance,  // n Q - S^2 over n (n - ddof)
  covariance,
  total_variance,  // of x plus that of y
  correlation,
  cosine,
  slope,
  intercept,
  weighted_mean,
  skewness,
  kurtosis,
  pearson,       // kurtosis + 3
  third_moment,  // of deviations from the mean
  fourth_moment,
  raw_third,  // the mean of x^3
  raw_fourth,
  least,
  greatest,
  ptp,      // greatest - least
  norminf,  // the larger of |least| and |greatest|
  greatest_difference,
  nothing  // no statistic: exact words answer
};
#undef ONEFOLD_TERMS
inline constexpr int term_count = static_cast<int>(Statistic::variance);
ONEFOLD_FN constexpr Statistic total_of(Term t) { return static_cast<Statistic>(t); }
ONEFOLD_FN constexpr bool is_total(Statistic s) { return s < Statistic::variance; }
ONEFOLD_FN constexpr Term term_of(Statistic total) { return static_cast<Term>(total); }
// Returns whether a statistic is a total, or follows from several totals by a formula.
ONEFOLD_FN constexpr bool is_of_sums(Statistic s) { return s < Statistic::least; }
// Returns whether a statistic relates two arrays: cov, corr, slope, ...
ONEFOLD_FN constexpr bool is_relation(Statistic s) {
  return s > Statistic::variance && s < Statistic::skewness;
}
// Returns whether a statistic is a moment of third or fourth order, or a ratio of moments.
ONEFOLD_FN constexpr bool is_moment(Statistic s) {
  return s >= Statistic::skewness && s <= Statistic::raw_fourth;
}
#if !defined(ONEFOLD_EXACT_HPP)
// Returns whether a statistic is a spread over n (n - ddof).
ONEFOLD_FN constexpr bool is_over_freedom(Statistic s) {
  return s == Statistic::variance || s == Statistic::covariance || s == Statistic::total_variance;
}
// Returns whether a statistic is a moment about 0 instead of the mean.
ONEFOLD_FN constexpr bool is_raw_moment(Statistic s) {
  return s == Statistic::raw_third || s == Statistic::raw_fourth;
}
// Returns whether a statistic is 0 if all elements are equal. (Ratios of moments are NaN then.)
ONEFOLD_FN constexpr bool is_zero_of_equals(Statistic s) {
  return s == Statistic::variance || s == Statistic::covariance || s == Statistic::total_variance ||
         s == Statistic::third_moment || s == Statistic::fourth_moment;
}
#endif

}  // namespace onefold
