// The share of zeros: an op of the parent's own.
//
//   type     f64, or the input's floating-point type
//   empty    NaN
//   NaN      is not zero
//   exact    the number of zeros divided by that of elements, rounded once
#pragma once

#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct share_zero_ {
  static constexpr OpFacts about{.idea = "The share of the elements that are zero",
                                 .needs = Accumulator::zeros | Accumulator::tally,
                                 .result = fractions,
                                 .steps = as_quotient};
  ONEFOLD_FN static constexpr Real finish(const auto& g) {
    return divided_by(Real::integer(g.counted(Accumulator::zeros)), g.tally().n);
  }
};

}  // namespace onefold::op
