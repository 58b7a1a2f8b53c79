// The standard error of the mean.
//
//   type     f64, or the input's floating-point type
//   empty    NaN, as for n <= ddof
//   NaN      gives NaN; so do infinities
//   exact    sqrt((nQ - S^2) / (n^2 (n - ddof))), rounded once; ddof is 1 if it is not given
//   bound    2^48 elements and more are an error, overflow
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct sem_ {
  static constexpr OpFacts about{.idea = "The standard error of the mean",
                                 .needs = needs_of(Statistic::variance, 1),
                                 .result = fractions,
                                 .uses_ddof = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> r = variance<1, true>(g);
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
