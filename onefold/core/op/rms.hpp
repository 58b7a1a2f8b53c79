// The square root of the mean of the squares.
//
//   type     f64, or the input's floating-point type
//   empty    NaN
//   NaN      gives NaN; an infinity gives +inf
//   exact    sqrt(Q / n), rounded once
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct rms_ {
  static constexpr OpFacts about{.idea = "The square root of the mean of the squares",
                                 .needs = Accumulator::sumsq | Accumulator::tally,
                                 .result = fractions,
                                 .steps = as_root_of_quotient};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = divided_by(positive_sum(g, Accumulator::sumsq), g.tally().n);
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
