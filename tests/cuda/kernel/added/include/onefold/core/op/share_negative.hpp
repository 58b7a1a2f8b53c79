// The share of negative elements. It uses an added accumulator, and declares only the facts that
// cannot be left out.
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct share_negative_ {
  static constexpr OpFacts about{.idea = "The share of the elements that are negative",
                                 .needs = Accumulator::negatives | Accumulator::tally,
                                 .result = fractions};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    return divided_by(Real::integer(g.counted(Accumulator::negatives)), g.tally().n);
  }
};

}  // namespace onefold::op
