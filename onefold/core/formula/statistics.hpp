// The formulas of statistics.inl for single numbers, and the terms that each of them reads.
#pragma once

#include "onefold/core/term.hpp"

namespace onefold::formula {

#define ONEFOLD_FORMULA_FN ONEFOLD_FN
#include "onefold/core/formula/statistics.inl"
#undef ONEFOLD_FORMULA_FN

// Returns the ratio v / (n (n - k)), for ddof k = taken / factor.
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
// Returns the terms of a statistic that is known only at run time.
template <int k = 0>
ONEFOLD_FN constexpr Terms terms_of(Statistic is) {
  constexpr Statistic one{k};
  if constexpr (!is_of_sums(one)) {
    return {};
  } else {
    return is == one ? terms_of<one>() : terms_of<k + 1>(is);
  }
}

}  // namespace onefold::formula
