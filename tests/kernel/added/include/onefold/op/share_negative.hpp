// How much of the elements is negative: of an accumulator that was added too, and without a fact
// that could be left out.
#pragma once

#include "onefold/op_concept.hpp"

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
