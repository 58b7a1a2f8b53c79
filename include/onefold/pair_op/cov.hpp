// The covariance of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for n <= ddof
//   NaN      gives NaN; so do infinities
//   exact    (nP - SxSy) / (n (n - ddof)), rounded once
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct cov_ {
  static constexpr OpFacts about{.idea = "The covariance of two arrays",
                                 .needs = Accumulator::left_sum | Accumulator::right_sum |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .inputs = 2,
                                 .uses_ddof = true,
                                 .formula = PairFormula::cov};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
