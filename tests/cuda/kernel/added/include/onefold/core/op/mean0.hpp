// The mean, which returns a zero sum before it divides. A kernel that ran it on zeros, to learn
// which rounding steps it needs, would compile no division.
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct mean0_ {
  static constexpr OpFacts about{.idea = "The mean, 0 at once where the sum is",
                                 .needs = Accumulator::sum | Accumulator::tally,
                                 .result = fractions};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    const Tally t = g.tally();
    const Real sum = signed_sum(g, t, Accumulator::sum);
    if (sum.kind == Real::Kind::finite && sum.numerator.zero()) return Real::zero();
    return divided_by(sum, t.n);
  }
};

}  // namespace onefold::op
