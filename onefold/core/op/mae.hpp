// The mean absolute difference of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    the sum of |x - y| / n, rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct mae_ {
  static constexpr OpFacts about{.idea = "The mean absolute difference of two arrays",
                                 .needs = Accumulator::sumabsdiff | Accumulator::pairs,
                                 .result = fractions,
                                 .steps = as_quotient,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const PairTally t = g.pair_tally();
    RealOf<G> r;
    if (!settled_difference(g, t, r)) r.numerator = g.limbs(Accumulator::sumabsdiff).magnitude;
    return divided_by(r, t.n);
  }
};

}  // namespace onefold::op
