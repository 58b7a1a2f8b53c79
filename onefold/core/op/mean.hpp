// The sum of all elements divided by their number.
//
//   type     f64, or the input's floating-point type
//   empty    NaN
//   NaN      gives NaN; infinities as in sum
//   exact    S / n, rounded once
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct mean_ {
  static constexpr OpFacts about{.idea = "The sum of all elements divided by their number",
                                 .needs = Accumulator::sum | Accumulator::tally,
                                 .result = fractions,
                                 .steps = as_quotient};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const Tally t = g.tally();
    return divided_by(signed_sum(g, t, Accumulator::sum), t.n);
  }
};

}  // namespace onefold::op
