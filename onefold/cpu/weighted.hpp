// Folds with weights.
#pragma once

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

// Folds a job whose plan has weights.
//   cost  8 to 25 ns an element: each product is added as digits of 32 bits
void fold_weighted(const backend::Job& job);

}  // namespace onefold::cpu_backend
