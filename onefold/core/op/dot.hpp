// The sum of the products of two arrays.
//
//   type     i64, u64, or the input's floating-point type
//   empty    0
//   NaN      gives NaN; inf * 0 too, whatever the NaN policy
//   exact    rounded once; -0 only if every product is -0
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct dot_ {
  static constexpr OpFacts about{.idea = "The sum of the products of two arrays",
                                 .needs = Accumulator::dot,
                                 .result = signed_sums,
                                 .steps = as_total,
                                 .inputs = 2,
                                 .degree = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return signed_sum(g, g.dot_tally(), Accumulator::dot);
  }
};

}  // namespace onefold::op
