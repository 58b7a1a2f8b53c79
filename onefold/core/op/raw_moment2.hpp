// The mean of the squares.
//
//   type     f64, or the input's floating-point type
//   empty    NaN
//   NaN      gives NaN; an infinity gives +inf
//   exact    Q / n, rounded once
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct raw_moment2_ {
  static constexpr OpFacts about{.idea = "The mean of the squares",
                                 .needs = Accumulator::sumsq | Accumulator::tally,
                                 .result = fractions,
                                 .steps = as_quotient};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return divided_by(positive_sum(g, Accumulator::sumsq), g.tally().n);
  }
};

}  // namespace onefold::op
