// The mean, whose zero is settled before anything is divided: a kernel that looked at one answer to
// learn what rounding takes would compile no division.
#pragma once

#include "onefold/op_concept.hpp"

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
