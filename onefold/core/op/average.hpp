// The mean of the first array, weighted by the second.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as where the weights sum to 0
//   NaN      gives NaN; inf * 0, inf with -inf and an infinite weight too
//   exact    P / Sw, rounded once; -0 only if every product is -0
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct average_ {
  static constexpr OpFacts about{.idea = "The mean of the first array, weighted by the second",
                                 .needs = needs_of(Statistic::weighted_mean, 2),
                                 .result = fractions,
                                 .steps = as_total,
                                 .inputs = 2,
                                 .takes_weights = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    const PairTally t = g.pair_tally();
    RealOf<G> r;
    if (settled_by_nan(g, t.nan, r)) return r;
    return t.n == 0 ? RealOf<G>::nan() : g.template statistic<Statistic::weighted_mean>();
  }
};

}  // namespace onefold::op
