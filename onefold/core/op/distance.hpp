// The Euclidean distance of two arrays.
//
//   type     f64, or the inputs' floating-point type
//   empty    0
//   NaN      gives NaN; inf - inf too; any other infinity gives +inf
//   exact    sqrt(Qx + Qy - 2P), rounded once: nothing overflows within
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct distance_ {
  static constexpr OpFacts about{.idea = "The Euclidean distance between two arrays",
                                 .needs = Accumulator::left_sumsq | Accumulator::right_sumsq |
                                          Accumulator::dot | Accumulator::pairs,
                                 .result = fractions,
                                 .steps = as_root,
                                 .inputs = 2};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    auto r = squared_difference(g, g.pair_tally());
    r.root = true;
    return r;
  }
};

}  // namespace onefold::op
