// The number of elements that differ from zero.
//
//   type     i64
//   empty    0
//   NaN      differs from zero
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct count_nonzero_ {
  static constexpr OpFacts about{.idea = "The number of elements that differ from zero",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = always(DType::i64),
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "sum"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r;
    const Tally t = g.tally();
    if (g.nan == NanPolicy::raise && settled_by_nan(g, t.nan, r)) return r;
    return RealOf<G>::integer(t.n - g.counted(Accumulator::zeros));
  }
};

}  // namespace onefold::op
