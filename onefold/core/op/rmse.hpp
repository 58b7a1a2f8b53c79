// The root of the mean squared difference.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    sqrt((Qx + Qy - 2P) / n), rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct rmse_ {
  static constexpr OpFacts about{.idea = "The root of the mean squared difference",
                                 .needs = Accumulator::left_sumsq | Accumulator::right_sumsq |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .steps = as_root_of_quotient,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const PairTally t = g.pair_tally();
    auto r = divided_by(squared_difference(g, t), t.n);
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
