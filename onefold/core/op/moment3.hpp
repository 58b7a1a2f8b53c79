// The third central moment.
//
//   type     f64, or the input's floating-point type
//   empty    NaN
//   NaN      gives NaN; so do infinities
//   exact    the mean of (x - m)^3, m the exact mean, rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct moment3_ {
  static constexpr OpFacts about{.idea = "The third central moment",
                                 .needs = needs_of(Statistic::third_moment, 1),
                                 .result = fractions,
                                 .steps = as_total};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return moment<Statistic::third_moment>(g);
  }
};

}  // namespace onefold::op
