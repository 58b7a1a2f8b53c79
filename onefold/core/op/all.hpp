// Whether every element differs from zero.
//
//   type     bool
//   empty    true
//   NaN      counts as true
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct all_ {
  static constexpr OpFacts about{.idea = "Whether every element differs from zero",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::boolean),
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "all"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r;
    if (g.nan == NanPolicy::raise && settled_by_nan(g, g.tally().nan, r)) return r;
    return RealOf<G>::integer(g.counted(Accumulator::zeros) == 0);
  }
};

}  // namespace onefold::op
