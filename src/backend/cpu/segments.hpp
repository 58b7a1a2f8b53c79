// Folds segments of an array's first axis.
#pragma once

#include "backend/backend.hpp"

namespace onefold::cpu_backend {

// Folds job.segments; the answers of a segment stand together.
void fold_segments(const backend::Job& job);

}  // namespace onefold::cpu_backend
