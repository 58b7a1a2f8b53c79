// The correlation of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for a constant array
//   NaN      gives NaN; so do infinities
//   exact    (nP - SxSy) / sqrt((nQx - Sx^2) (nQy - Sy^2)), rounded once; within [-1, 1]
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct corr_ {
  static constexpr OpFacts about{.idea = "The correlation of two arrays",
                                 .needs = needs_of(Statistic::correlation, 2),
                                 .result = fractions,
                                 .steps = as_root,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return relation<Statistic::correlation>(g);
  }
};

}  // namespace onefold::op
