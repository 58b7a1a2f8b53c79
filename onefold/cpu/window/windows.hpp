// Folds windows of one axis.
#pragma once

#include <vector>

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

void fold_windows(const backend::Job& job);

// Divides each line's windows into pieces, for threads and where windows fall. Returns the first
// window of each piece, and at the end the number of windows.
std::vector<Size> pieces_of(const backend::Windows& w, int threads);

// Returns the answer of a window with too few elements.
inline Rounded too_few(const backend::Job& job, std::size_t op) {
  if (nan_when_empty(job.plan, op)) return round(Real::nan(), job.plan.results[op]);
  return {.bits = 0, .status = Status::too_few};
}

}  // namespace onefold::cpu_backend
