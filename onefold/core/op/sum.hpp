// The sum of all elements.
//
//   type     i64, u64, or the input's floating-point type
//   empty    0
//   NaN      gives NaN; so does +inf with -inf
//   exact    rounded once; all -0 gives -0
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct sum_ {
  static constexpr OpFacts about{.idea = "The sum of all elements",
                                 .needs = Accumulator::sum | Accumulator::tally,
                                 .result = signed_sums,
                                 .steps = as_total,
                                 .takes_initial = true,
                                 .degree = 1};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return signed_sum(g, g.tally(), Accumulator::sum);
  }
};

}  // namespace onefold::op
