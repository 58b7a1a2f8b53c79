// The sum of the absolute values.
//
//   type     u64, or the input's floating-point type
//   empty    0
//   NaN      gives NaN; an infinity gives +inf
//   exact    rounded once
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct norm1_ {
  static constexpr OpFacts about{.idea = "The sum of the absolute values",
                                 .needs = Accumulator::sumabs | Accumulator::tally,
                                 .result = unsigned_sums,
                                 .steps = as_total,
                                 .degree = 1};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return positive_sum(g, Accumulator::sumabs);
  }
};

}  // namespace onefold::op
