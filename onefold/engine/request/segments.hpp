// The plan of a fold of segments, made without reading the offsets.
#pragma once

#include "onefold/fold.hpp"

namespace onefold {

struct Plan;

// Plans the fold as if all of x's first axis were one segment.
//   offsets  only its type and shape are checked
//   throws   as fold_segments, except for errors in the offsets' values
Plan plan_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                   const Options& options);

}  // namespace onefold
