// The smallest element.
//
//   type     the input's
//   empty    error empty_input
//   NaN      gives NaN
//   exact    yes; -0 is less than +0
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct min_ {
  static constexpr OpFacts about{.idea = "The smallest element",
                                 .needs = Accumulators(Accumulator::least),
                                 .result = same_type,
                                 .steps = as_total,
                                 .takes_initial = true,
                                 .needs_element = true,
                                 .degree = 0,
                                 .merged_by = "min"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return g.extreme(Accumulator::least).value;
  }
};

}  // namespace onefold::op
