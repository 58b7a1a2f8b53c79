// The cosine of the angle between two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as where either is 0
//   NaN      gives NaN; so do infinities
//   exact    P / sqrt(QxQy), rounded once; within [-1, 1]
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct cosine_ {
  static constexpr OpFacts about{.idea = "The cosine of the angle between two arrays",
                                 .needs = needs_of(Statistic::cosine, 2),
                                 .result = fractions,
                                 .steps = as_root,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return relation<Statistic::cosine>(g);
  }
};

}  // namespace onefold::op
