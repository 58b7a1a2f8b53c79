// The negative sum, which totals cannot answer since they have no sign of their own.
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct deficit_ {
  static constexpr OpFacts about{.idea = "The negative sum",
                                 .needs = Accumulator::sum | Accumulator::tally,
                                 .result = always(DType::f64)};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = signed_sum(g, g.tally(), Accumulator::sum);
    r.negative = !r.negative;
    return r;
  }
};

}  // namespace onefold::op
