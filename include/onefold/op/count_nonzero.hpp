// The number of elements that differ from zero.
//
//   type     i64
//   empty    0
//   NaN      differs from zero
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct count_nonzero_ {
  static constexpr OpFacts about{.idea = "The number of elements that differ from zero",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::i64)};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    Real r;
    const Tally t = g.tally();
    if (g.nan == NanPolicy::raise && settled_by_nan(g, t.nan, r)) return r;
    return Real::integer(t.n - g.zeros());
  }
};

}  // namespace onefold::op
