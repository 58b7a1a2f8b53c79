// The covariance of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for n <= ddof
//   NaN      gives NaN; so do infinities
//   exact    (nP - SxSy) / (n (n - ddof)), rounded once
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct cov_ {
  static constexpr OpFacts about{.idea = "The covariance of two arrays",
                                 .needs = needs_of(Statistic::covariance, 2),
                                 .result = fractions,
                                 .steps = as_two_quotients,
                                 .inputs = 2,
                                 .uses_ddof = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return relation(g, [&] {
      const Size n = g.pair_tally().n;
      return over_freedom(g, n, [&](RealOf<G>& to, uint32_t q) {
        const auto spread = g.common_spread(q);
        to.numerator = spread.magnitude;
        to.negative = spread.negative;
      });
    });
  }
};

}  // namespace onefold::op
