// The intercept of the regression line of the second array over the first: its value at 0.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for a constant first array
//   NaN      gives NaN; so do infinities
//   exact    (SyQx - SxP) / (nQx - Sx^2), rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct intercept_ {
  static constexpr OpFacts about{.idea = "The intercept of the second array over the first",
                                 .needs = needs_of(Statistic::intercept, 2),
                                 .result = fractions,
                                 .steps = as_total,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return relation<Statistic::intercept>(g);
  }
};

}  // namespace onefold::op
