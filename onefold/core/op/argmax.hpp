// Where the largest element first stands, in C order.
//
//   type     i64
//   empty    error empty_input
//   NaN      the index of the first NaN
//   exact    yes; -0 is less than +0
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct argmax_ {
  static constexpr OpFacts about{.idea = "The index of the first largest element, in C order",
                                 .needs = Accumulators(Accumulator::greatest),
                                 .result = always(DType::i64),
                                 .steps = as_total,
                                 .uses_index = true,
                                 .needs_element = true,
                                 .degree = 0,
                                 .index_of = "max"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const auto e = g.extreme(Accumulator::greatest);
    return e.is_bad(g.nan) ? e.value : RealOf<G>::integer(e.index);
  }
};

}  // namespace onefold::op
