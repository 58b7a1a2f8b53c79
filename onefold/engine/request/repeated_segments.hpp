// Segments of arrays of the host whose elements count several times (Options::fweights).
#pragma once

#include "onefold/engine/backend/backend.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// Folds segments of the first axis of x into `places`. `plan` is the plan for all answers.
//   memory  for each thread some 2^17 elements
//   cost    short segments of one axis: as much as to fold the repeated elements; each other
//           segment is a fold of its own, of some microseconds
void fold_repeated(const Plan& plan, std::span<const int64_t> offsets, std::string_view ops,
                   const ArrayRef& x, const Options& options,
                   std::span<const backend::Output> places);

}  // namespace onefold
