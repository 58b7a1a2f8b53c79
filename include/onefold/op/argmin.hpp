// Where the smallest element first stands, in C order.
//
//   type     i64
//   empty    error empty_input
//   NaN      the index of the first NaN
//   exact    yes; -0 is less than +0
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct argmin_ {
  static constexpr OpFacts about{.idea = "Where the smallest element first stands, in C order",
                                 .needs = Accumulators(Accumulator::least),
                                 .result = always(DType::i64),
                                 .uses_index = true};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    const Extreme e = g.extreme(Accumulator::least);
    return e.is_bad(g.nan) ? e.value : Real::integer(e.index);
  }
};

}  // namespace onefold::op
