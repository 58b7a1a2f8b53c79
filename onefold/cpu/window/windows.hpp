// Folds windows of one axis.
#pragma once

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

void fold_windows(const backend::Job& job);

// Returns in how many pieces each line's windows are divided for threads. A scan's first elements
// are counted as none.
Size pieces_of(const backend::Windows& w, int threads);
// Returns the first window of a piece; of piece number `pieces` the end.
inline Size first_of(const backend::Windows& w, Size piece, Size pieces) {
  return w.count / pieces * piece + std::min(piece, w.count % pieces);
}

// Stores the answer of a window with too few elements.
inline void put_too_few(const backend::Job& job, std::size_t op, Size answer) {
  const bool nan = nan_when_empty(job.plan, op);
  const Rounded none{.bits = 0, .status = Status::too_few};
  job.put(op, answer, nan ? round(Real::nan(), job.plan.results[op]) : none);
}

}  // namespace onefold::cpu_backend
