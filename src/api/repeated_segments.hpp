// Segments of arrays of the host whose elements count several times (Options::fweights).
#pragma once

#include "backend/backend.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// Folds segments of the first axis of x into `places`. The plan is that of all answers.
//   memory  for each thread some 2^17 elements
//   cost    short segments of one axis: that of folding the repeated elements; other segments are
//           folds of their own, of some microseconds
void fold_repeated(const Plan& plan, std::span<const int64_t> offsets, std::string_view ops,
                   const ArrayRef& x, const Options& options,
                   std::span<const backend::Output> places);

}  // namespace onefold
