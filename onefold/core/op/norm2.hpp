// The square root of the sum of squares.
//
//   type     f64, or the input's floating-point type
//   empty    0
//   NaN      gives NaN; an infinity gives +inf
//   exact    sqrt(Q), rounded once: it cannot over- or underflow on the way
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct norm2_ {
  static constexpr OpFacts about{.idea = "The square root of the sum of squares",
                                 .needs = Accumulator::sumsq | Accumulator::tally,
                                 .result = fractions,
                                 .steps = as_root};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = positive_sum(g, Accumulator::sumsq);
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
