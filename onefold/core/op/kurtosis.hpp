// The excess kurtosis: how heavy the tails are, 0 for the normal distribution.
//
//   type     f64, or the input's floating-point type
//   empty    NaN, as for elements that are all equal
//   NaN      gives NaN; so do infinities
//   exact    k = m4 / m2^2 - 3 of the central moments over n, rounded once
//   ddof     1: from a sample, (n - 1) ((n + 1) k + 6) / ((n - 2) (n - 3)); NaN for n < 4
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct kurtosis_ {
  static constexpr OpFacts about{.idea = "The excess kurtosis",
                                 .needs = needs_of(Statistic::kurtosis, 1),
                                 .result = fractions,
                                 .steps = as_total,
                                 .uses_ddof = true,
                                 .estimates = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return ratio_of_moments<Statistic::kurtosis>(g);
  }
};

}  // namespace onefold::op
