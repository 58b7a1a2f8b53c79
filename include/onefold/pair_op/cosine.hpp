// The cosine of the angle between two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as where either is 0
//   NaN      gives NaN; so do infinities
//   exact    P / sqrt(QxQy), rounded once; within [-1, 1]
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct cosine_ {
  static constexpr OpFacts about{.idea = "The cosine of the angle between two arrays",
                                 .needs = Accumulator::left_sumsq | Accumulator::right_sumsq |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .inputs = 2,
                                 .formula = PairFormula::cosine};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
