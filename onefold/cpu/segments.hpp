// Folds segments of an array's first axis.
#pragma once

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

// Folds the segments of job.segments; the answers of one segment are neighbours in the output.
void fold_segments(const backend::Job& job);

}  // namespace onefold::cpu_backend
