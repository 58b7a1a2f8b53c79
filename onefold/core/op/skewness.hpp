// The skewness: how far elements lean to one side of their mean.
//
//   type     f64, or the input's floating-point type
//   empty    NaN, as for elements that are all equal
//   NaN      gives NaN; so do infinities
//   exact    m3 / m2^(3/2) of the central moments over n, rounded once
//   ddof     1: the estimate from a sample, sqrt(n (n - 1)) / (n - 2) times that; NaN for n < 3
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct skewness_ {
  static constexpr OpFacts about{.idea = "The skewness",
                                 .needs = needs_of(Statistic::skewness, 1),
                                 .result = fractions,
                                 .steps = as_root,
                                 .uses_ddof = true,
                                 .estimates = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return ratio_of_moments<Statistic::skewness>(g);
  }
};

}  // namespace onefold::op
