// The root of the sum of the variances of two arrays: how far points (x, y) lie from their mean.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for n <= ddof
//   NaN      gives NaN; so do infinities
//   exact    sqrt of total_var, rounded once; never -0
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct total_std_ {
  static constexpr OpFacts about{.idea = "The root of the sum of the variances of two arrays",
                                 .needs = needs_of(Statistic::total_variance, 2),
                                 .result = fractions,
                                 .inputs = 2,
                                 .uses_ddof = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = total_variance(g);
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
