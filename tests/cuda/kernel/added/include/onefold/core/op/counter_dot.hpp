// The negative sum of products.
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct counter_dot_ {
  static constexpr OpFacts about{.idea = "The negative sum of the products of two arrays",
                                 .needs = Accumulators(Accumulator::dot),
                                 .result = always(DType::f64),
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = signed_sum(g, g.dot_tally(), Accumulator::dot);
    r.negative = !r.negative;
    return r;
  }
};

}  // namespace onefold::op
