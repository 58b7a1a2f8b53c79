// The root of the mean squared difference.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    sqrt((Qx + Qy - 2P) / n), rounded once
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct rmse_ {
  static constexpr OpFacts about{.idea = "The root of the mean squared difference",
                                 .needs = Accumulator::left_sumsq | Accumulator::right_sumsq |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .inputs = 2,
                                 .formula = PairFormula::rmse};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
