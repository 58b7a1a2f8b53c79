// The mean of the cubes.
//
//   type     f64, or the input's floating-point type
//   empty    NaN
//   NaN      gives NaN, as do infinities of both signs; an infinity gives itself
//   exact    the sum of x^3 / n, rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct raw_moment3_ {
  static constexpr OpFacts about{.idea = "The mean of the cubes",
                                 .needs = Accumulator::sumcube | Accumulator::tally,
                                 .result = fractions,
                                 .steps = as_quotient};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return raw_moment<Statistic::raw_third>(g, Accumulator::sumcube);
  }
};

}  // namespace onefold::op
