// The sum of the variances of two arrays: that of points (x, y), or of numbers x + iy.
//
//   type     f64, or the inputs' floating-point type
//   empty    NaN, as for n <= ddof
//   NaN      gives NaN; so do infinities
//   exact    (n (Qx + Qy) - Sx^2 - Sy^2) / (n (n - ddof)), rounded once; never -0
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct total_var_ {
  static constexpr OpFacts about{.idea = "The sum of the variances of two arrays",
                                 .needs = needs_of(Statistic::total_variance, 2),
                                 .result = fractions,
                                 .steps = as_two_quotients,
                                 .inputs = 2,
                                 .uses_ddof = true};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    return total_variance(g);
  }
};

}  // namespace onefold::op
