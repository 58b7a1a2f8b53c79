// The skewness: how far elements lean to one side of their mean.
//
//   type     f64, or the input's floating-point type
//   empty    NaN, as for elements that are all equal
//   NaN      gives NaN; so do infinities
//   exact    m3 / m2^(3/2) of the central moments over n, rounded once
#pragma once

#include "onefold/formula.hpp"
#include "onefold/op_concept.hpp"

namespace onefold::op {

struct skewness_ {
  static constexpr OpFacts about{
      .idea = "The skewness",
      .needs = Accumulator::sum | Accumulator::sumsq | Accumulator::sumcube | Accumulator::tally,
      .result = fractions,
      .steps = as_root};
  template <class G>
  ONEFOLD_FN static constexpr Real finish(const G& g) {
    return moment(g, [&] { return g.skewness(); });
  }
};

}  // namespace onefold::op
