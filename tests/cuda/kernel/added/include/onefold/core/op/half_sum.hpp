// Half of the sum: a quotient that is not a mean.
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct half_sum_ {
  static constexpr OpFacts about{.idea = "Half of the sum",
                                 .needs = Accumulator::sum | Accumulator::tally,
                                 .result = fractions};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return divided_by(signed_sum(g, g.tally(), Accumulator::sum), 2);
  }
};

}  // namespace onefold::op
