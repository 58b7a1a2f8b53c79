// Folds of short contiguous arrays, where making a plan costs more than the fold itself.
//
//   memory   each thread keeps its last 16 requests, each with up to 35 KB for a state and feeds.
//            If a call repeats one of them, it allocates nothing and takes no lock
//   takes    one contiguous range (dot: two) of aligned elements, below 1 MiB, without options
//            other than nan, ddof, keepdims and threads
#pragma once

#include "onefold/onefold.hpp"

namespace onefold {

struct Plan;

// Folds like detail::fold_whole if this thread remembers the request. Otherwise, or if the request
// is not short or not valid, does nothing and returns false.
bool fold_short(std::span<const detail::TypedOp> requests, const ArrayRef& x, const ArrayRef* y,
                const Options& options, Value* out);

// Makes this thread remember the request, if it is a short one.
void remember_short(std::span<const detail::TypedOp> requests, const Plan& plan, const ArrayRef& x,
                    const ArrayRef* y, const Options& options);

}  // namespace onefold
