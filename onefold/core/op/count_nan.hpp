// The number of NaNs.
//
//   type     i64
//   empty    0
//   NaN      all are counted whatever the policy
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct count_nan_ {
  static constexpr OpFacts about{.idea = "The number of NaNs",
                                 .needs = Accumulator::tally,
                                 .result = always(DType::i64),
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "sum"};
  ONEFOLD_FN static constexpr Real finish(const auto& g) { return Real::integer(g.tally().nan); }
};

}  // namespace onefold::op
