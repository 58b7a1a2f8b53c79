// The variance.
//
//   type     f64, or the input's floating-point type
//   empty    NaN, as for n <= ddof
//   NaN      gives NaN; so do infinities
//   exact    (nQ - S^2) / (n (n - ddof)), rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct var_ {
  static constexpr OpFacts about{.idea = "The variance",
                                 .needs = needs_of(Statistic::variance, 1),
                                 .result = fractions,
                                 .steps = as_two_quotients,
                                 .uses_ddof = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return variance(g);
  }
};

}  // namespace onefold::op
