// The kurtosis as Pearson has it: 3 for the normal distribution.
//
//   type     f64, or the input's floating-point type
//   empty    NaN, as for elements that are all equal
//   NaN      gives NaN; so do infinities
//   exact    m4 / m2^2 of the central moments over n, rounded once
//   ddof     1: the estimate of `kurtosis` from a sample, plus 3, rounded once; NaN for n < 4
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct kurtosis_pearson_ {
  static constexpr OpFacts about{.idea = "The kurtosis, without subtracting 3",
                                 .needs = needs_of(Statistic::pearson, 1),
                                 .result = fractions,
                                 .steps = as_total,
                                 .uses_ddof = true,
                                 .estimates = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return ratio_of_moments<Statistic::pearson>(g);
  }
};

}  // namespace onefold::op
