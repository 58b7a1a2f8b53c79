// Windows of an axis on a device.
#pragma once

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cuda_backend {

// Folds a job's windows: scans of sums and means (scans.hpp), and windows of a rule, which are
// segments that overlap (segments.hpp).
//   throws  unsupported: other scans, and windows of lists
void windows(const backend::Job& job);

}  // namespace onefold::cuda_backend
