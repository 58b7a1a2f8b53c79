// The mean squared difference of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    (Qx + Qy - 2P) / n, rounded once
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct mse_ {
  static constexpr OpFacts about{.idea = "The mean squared difference of two arrays",
                                 .needs = Accumulator::left_sumsq | Accumulator::right_sumsq |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .inputs = 2,
                                 .formula = PairFormula::mse};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
