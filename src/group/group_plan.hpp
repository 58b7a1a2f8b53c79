// Checks and plans folds of groups.
#pragma once

#include "plan/request.hpp"

namespace onefold {

// Throws bad_option: an op with an index or of two arrays, options that say how to fold an array.
void check_groups(const Request& request);

// The plan of one group's column, whose keys are looked up.
//   throws  as check_groups; bad_option: a device, a stream
Plan group_plan(const Request& request, DType dtype);

}  // namespace onefold
