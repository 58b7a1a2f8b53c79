// What segments are folded by, known without their offsets.
#pragma once

#include "onefold/fold.hpp"
#include "plan/plan.hpp"

namespace onefold {

// The plan of all of x's first axis, as one segment.
//   offsets  its type and shape are checked, and no number is read
//   throws   as fold_segments, but for what the offsets hold
Plan plan_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                   const Options& options);

}  // namespace onefold
