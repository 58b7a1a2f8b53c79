// The number of zeros of either sign.
//
//   type     i64
//   empty    0
//   NaN      is not zero; a NaN does not change the count
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct count_zero_ {
  static constexpr OpFacts about{.idea = "The number of zeros of either sign",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::i64),
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "sum"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r;
    if (g.nan == NanPolicy::raise && settled_by_nan(g, g.tally().nan, r)) return r;
    return RealOf<G>::integer(g.counted(Accumulator::zeros));
  }
};

}  // namespace onefold::op
