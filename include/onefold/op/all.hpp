// Whether every element differs from zero.
//
//   type     bool
//   empty    true
//   NaN      counts as true
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct all_ {
  static constexpr OpFacts about{.idea = "Whether every element differs from zero",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::boolean)};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    Real r;
    if (g.nan == NanPolicy::raise && settled_by_nan(g, g.tally().nan, r)) return r;
    return Real::integer(g.zeros() == 0);
  }
};

}  // namespace onefold::op
