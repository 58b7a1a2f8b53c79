// The largest absolute value.
//
//   type     u64, or the input's floating-point type
//   empty    0
//   NaN      gives NaN
//   exact    yes
#pragma once

#include "onefold/core/formula.hpp"
#include "onefold/core/op_concept.hpp"

namespace onefold::op {

struct norminf_ {
  static constexpr OpFacts about{.idea = "The largest absolute value",
                                 .needs = Accumulator::least | Accumulator::greatest,
                                 .result = unsigned_sums,
                                 .steps = as_total,
                                 .degree = 0,
                                 .merged_by = "max"};
  template <class G>
  ONEFOLD_FN static constexpr RealOf<G> finish(const G& g) {
    RealOf<G> low = g.extreme(Accumulator::least).value,
              high = g.extreme(Accumulator::greatest).value;
    if (low.status == Status::empty_input) return RealOf<G>::zero();
    low.negative = high.negative = false;
    return larger_magnitude(low, high);
  }
};

}  // namespace onefold::op
