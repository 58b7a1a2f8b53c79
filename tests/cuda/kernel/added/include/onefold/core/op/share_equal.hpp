// The share of pairs of equal numbers: an op of two arrays with its own formula.
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct share_equal_ {
  static constexpr OpFacts about{.idea = "The share of the pairs that are of equal numbers",
                                 .needs = Accumulator::agreements | Accumulator::pairs,
                                 .result = fractions,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return divided_by(RealOf<G>::integer(g.counted(Accumulator::agreements)), g.pair_tally().n);
  }
};

}  // namespace onefold::op
