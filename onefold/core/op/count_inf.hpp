// The number of infinities of either sign.
//
//   type     i64
//   empty    0
//   NaN      is not an infinity; a NaN does not change the count
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct count_inf_ {
  static constexpr OpFacts about{.idea = "The number of infinities of either sign",
                                 .needs = Accumulator::tally,
                                 .result = always(DType::i64),
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "sum"};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    Real r;
    const Tally t = g.tally();
    if (g.nan == NanPolicy::raise && settled_by_nan(g, t.nan, r)) return r;
    return Real::integer(static_cast<Uint128>(t.positive_infinity) + t.negative_infinity);
  }
};

}  // namespace onefold::op
