// Half of the smallest element, which is not itself an element.
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct half_least_ {
  static constexpr OpFacts about{.idea = "Half of the smallest element",
                                 .needs = Accumulators(Accumulator::least),
                                 .result = fractions,
                                 .needs_element = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return divided_by(g.extreme(Accumulator::least).value, 2);
  }
};

}  // namespace onefold::op
