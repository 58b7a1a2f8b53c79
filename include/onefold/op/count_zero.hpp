// The number of zeros of either sign.
//
//   type     i64
//   empty    0
//   NaN      is not zero; a NaN does not change the count
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct count_zero_ {
  static constexpr OpFacts about{.idea = "The number of zeros of either sign",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::i64)};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    Real r;
    if (g.nan == NanPolicy::raise && settled_by_nan(g, g.tally().nan, r)) return r;
    return Real::integer(g.zeros());
  }
};

}  // namespace onefold::op
