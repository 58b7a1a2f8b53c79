// The mean of the first array, weighted by the second.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as where the weights sum to 0
//   NaN      gives NaN; inf * 0, inf with -inf and an infinite weight too
//   exact    P / Sw, rounded once; -0 only if every product is -0
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct average_ {
  static constexpr OpFacts about{
      .idea = "The mean of the first array, weighted by the second",
      .needs = Accumulator::right_sum | Accumulator::dot | Accumulator::pairs,
      .result = fractions,
      .inputs = 2,
      .takes_weights = true,
      .formula = PairFormula::average};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
