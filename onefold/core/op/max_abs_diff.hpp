// The greatest absolute difference of two arrays.
//
//   type     u64, or the inputs' floating-point type
//   empty    error empty_input
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct max_abs_diff_ {
  static constexpr OpFacts about{.idea = "The greatest absolute difference of two arrays",
                                 .needs = Accumulator::maxabsdiff | Accumulator::pairs,
                                 .result = unsigned_sums,
                                 .steps = as_total,
                                 .inputs = 2,
                                 .needs_element = true,
                                 .degree = 0};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const PairTally t = g.pair_tally();
    RealOf<G> r;
    if (settled_difference(g, t, r)) return r;
    return t.n == 0 ? RealOf<G>::bad(Status::empty_input) : g.greatest_difference();
  }
};

}  // namespace onefold::op
