// The number of elements.
//
//   type     i64
//   empty    0
//   NaN      counts as an element unless omitted; `raise` does not apply
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct count_ {
  static constexpr OpFacts about{.idea = "The number of elements",
                                 .needs = Accumulator::tally,
                                 .result = always(DType::i64),
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "sum"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return RealOf<G>::integer(g.tally().n);
  }
};

}  // namespace onefold::op
