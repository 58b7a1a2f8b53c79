// The mean squared difference of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    (Qx + Qy - 2P) / n, rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct mse_ {
  static constexpr OpFacts about{.idea = "The mean squared difference of two arrays",
                                 .needs = Accumulator::left_sumsq | Accumulator::right_sumsq |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .steps = as_quotient,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const PairTally t = g.pair_tally();
    return divided_by(squared_difference(g, t), t.n);
  }
};

}  // namespace onefold::op
