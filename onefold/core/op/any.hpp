// Whether some element differs from zero.
//
//   type     bool
//   empty    false
//   NaN      counts as true
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct any_ {
  static constexpr OpFacts about{.idea = "Whether some element differs from zero",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::boolean),
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "any"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r;
    const Tally t = g.tally();
    if (g.nan == NanPolicy::raise && settled_by_nan(g, t.nan, r)) return r;
    return RealOf<G>::integer(t.n != g.counted(Accumulator::zeros));
  }
};

}  // namespace onefold::op
