// Checks and plans folds of groups.
#pragma once

#include "plan/request.hpp"

namespace onefold {

// Throws bad_option: an op with an index or of two arrays, options that say how to fold an array.
//   places  elements come with indices, so ops may ask for them
void check_groups(const Request& request, bool places = false);

// The plan of one group's column, whose keys are looked up.
//   throws  as check_groups; bad_option: a device, a stream
Plan group_plan(const Request& request, DType dtype, bool places = false);

}  // namespace onefold
