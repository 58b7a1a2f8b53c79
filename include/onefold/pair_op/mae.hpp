// The mean absolute difference of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    the sum of |x - y| / n, rounded once
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct mae_ {
  static constexpr OpFacts about{.idea = "The mean absolute difference of two arrays",
                                 .needs = Accumulator::sumabsdiff | Accumulator::pairs,
                                 .result = fractions,
                                 .inputs = 2,
                                 .formula = PairFormula::mae};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
