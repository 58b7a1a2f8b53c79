// The slope of the second array over the first.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for a constant first array
//   NaN      gives NaN; so do infinities
//   exact    (nP - SxSy) / (nQx - Sx^2), rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct slope_ {
  static constexpr OpFacts about{.idea = "The slope of the second array over the first",
                                 .needs = needs_of(Statistic::slope, 2),
                                 .result = fractions,
                                 .steps = as_total,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return relation<Statistic::slope>(g);
  }
};

}  // namespace onefold::op
