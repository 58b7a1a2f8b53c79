// Folds elements with weights by panels: many answers at once, by sums of two f64.
#pragma once

#include <vector>

#include "onefold/cpu/weighted_loops.hpp"

namespace onefold::cpu_backend {

// Writes the answers whose rounding is proven. open[a] becomes 1 if that of some op of answer
// number a is not.
void fold_weighted_panels(const WeightedLoops& loops, std::vector<uint8_t>& open);

}  // namespace onefold::cpu_backend
