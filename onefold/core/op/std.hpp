// The standard deviation.
//
//   type     f64, or the input's floating-point type
//   empty    NaN, as for n <= ddof
//   NaN      gives NaN; so do infinities
//   exact    sqrt((nQ - S^2) / (n (n - ddof))), rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct std_ {
  static constexpr OpFacts about{.idea = "The standard deviation",
                                 .needs = needs_of(Statistic::variance, 1),
                                 .result = fractions,
                                 .uses_ddof = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = variance(g);
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
