// Half of the range of the elements, which is not the range itself.
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct radius_ {
  static constexpr OpFacts about{.idea = "Half of the largest minus the smallest element",
                                 .needs = Accumulator::least | Accumulator::greatest,
                                 .result = fractions,
                                 .needs_element = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return divided_by(
        difference(g.extreme(Accumulator::greatest).value, g.extreme(Accumulator::least).value), 2);
  }
};

}  // namespace onefold::op
