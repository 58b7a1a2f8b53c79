// The sum of the squares.
//
//   type     u64, or the input's floating-point type
//   empty    0
//   NaN      gives NaN; an infinity gives +inf
//   exact    Q, rounded once
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct sumsq_ {
  static constexpr OpFacts about{.idea = "The sum of the squares",
                                 .needs = Accumulator::sumsq | Accumulator::tally,
                                 .result = unsigned_sums,
                                 .steps = as_total,
                                 .degree = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return positive_sum(g, Accumulator::sumsq);
  }
};

}  // namespace onefold::op
