// Folds of short contiguous arrays, where making a plan costs more than the fold itself.
//
//   memory   each thread keeps its last 16 requests, with room for a state and the feeds' work, up
//            to 35 KB each: a call like an earlier one allocates nothing and takes no lock
//   takes    one whole range (dot: two) of aligned elements, less than 1 MiB, with no options but
//            nan, ddof, keepdims and threads
#pragma once

#include "onefold/onefold.hpp"

namespace onefold {

struct Plan;

// Folds if this thread knows the request: as detail::fold_whole. False: it does not, or it is not
// one of those, or something is wrong with it; nothing has been done.
bool fold_short(std::span<const detail::Request> requests, const ArrayRef& x, const ArrayRef* y,
                const Options& options, Value* out);

// Makes this thread remember the request, if it is a short one.
void remember_short(std::span<const detail::Request> requests, const Plan& plan, const ArrayRef& x,
                    const ArrayRef* y, const Options& options);

}  // namespace onefold
