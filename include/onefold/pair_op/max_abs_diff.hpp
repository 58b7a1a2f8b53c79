// The greatest absolute difference of two arrays.
//
//   type     u64, or the inputs' floating-point type
//   empty    error empty_input
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    rounded once
#pragma once

#include "onefold/op_concept.hpp"

namespace onefold::op {

struct max_abs_diff_ {
  static constexpr OpFacts about{.idea = "The greatest absolute difference of two arrays",
                                 .needs = Accumulator::maxabsdiff | Accumulator::pairs,
                                 .result = unsigned_sums,
                                 .inputs = 2,
                                 .needs_element = true,
                                 .degree = 0,
                                 .formula = PairFormula::max_abs_diff};
  static Real finish(const Gathered& g) { return g.formula<about.formula>(); }
};

}  // namespace onefold::op
