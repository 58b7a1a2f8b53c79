// Folds elements with weights by panels: many answers at once, by sums of two f64.
#pragma once

#include <vector>

#include "backend/backend.hpp"

namespace onefold::cpu_backend {

// The loops of a plan with weights (plan/weighted.hpp): answers by the kept axes, elements by the
// folded ones; numbers count in the order of the axes, the last one fastest.
struct WeightedRange {
  Size slice;       // the answer's number among the kept axes
  Size begin, end;  // the elements' numbers
  Size first;       // the place of the first answer of its segment
};
WeightedRange weighted_range(const backend::Job& job, Size answer);
// Returns an answer's place in the outputs.
Size weighted_place(const backend::Job& job, const WeightedRange& range);

// Writes the answers whose rounding is proven. open[a], of the answers' numbers, becomes 1 if some
// op's is not.
void fold_weighted_panels(const backend::Job& job, std::vector<uint8_t>& open);

}  // namespace onefold::cpu_backend
