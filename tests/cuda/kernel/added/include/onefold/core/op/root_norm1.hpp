// The root of a sum that kernels may know without error.
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct root_norm1_ {
  static constexpr OpFacts about{.idea = "The square root of the sum of the absolute values",
                                 .needs = Accumulator::sumabs | Accumulator::tally,
                                 .result = fractions};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = positive_sum(g, Accumulator::sumabs);
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
