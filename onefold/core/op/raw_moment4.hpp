// The mean of the fourth powers.
//
//   type     f64, or the input's floating-point type
//   empty    NaN
//   NaN      gives NaN; an infinity gives +inf
//   exact    the sum of x^4 / n, rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct raw_moment4_ {
  static constexpr OpFacts about{.idea = "The mean of the fourth powers",
                                 .needs = Accumulator::sumfourth | Accumulator::tally,
                                 .result = fractions,
                                 .steps = as_quotient};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return raw_moment<Statistic::raw_fourth>(g, Accumulator::sumfourth);
  }
};

}  // namespace onefold::op
