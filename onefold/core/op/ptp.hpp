// The largest minus the smallest element.
//
//   type     u64, or the input's floating-point type
//   empty    error empty_input
//   NaN      gives NaN; so do two equal infinities; one infinity gives +inf
//   exact    rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct ptp_ {
  static constexpr OpFacts about{.idea = "The largest minus the smallest element",
                                 .needs = Accumulator::least | Accumulator::greatest,
                                 .result = unsigned_sums,
                                 .steps = as_total,
                                 .needs_element = true,
                                 .degree = 0};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const RealOf<G> low = g.extreme(Accumulator::least).value,
                    high = g.extreme(Accumulator::greatest).value;
    return difference(high, low);
  }
};

}  // namespace onefold::op
