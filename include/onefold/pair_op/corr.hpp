// The correlation of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for a constant array
//   NaN      gives NaN; so do infinities
//   exact    (nP - SxSy) / sqrt((nQx - Sx^2) (nQy - Sy^2)), rounded once; within [-1, 1]
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct corr_ {
  static constexpr OpFacts about{.idea = "The correlation of two arrays",
                                 .needs = Accumulator::left_sum | Accumulator::right_sum |
                                          Accumulator::left_sumsq | Accumulator::right_sumsq |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .inputs = 2,
                                 .formula = PairFormula::corr};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
