// Whether some element differs from zero.
//
//   type     bool
//   empty    false
//   NaN      counts as true
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct any_ {
  static constexpr OpFacts about{.idea = "Whether some element differs from zero",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::boolean)};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    Real r;
    const Tally t = g.tally();
    if (g.nan == NanPolicy::raise && settled_by_nan(g, t.nan, r)) return r;
    return Real::integer(t.n != g.zeros());
  }
};

}  // namespace onefold::op
