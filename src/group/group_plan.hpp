// What groups can be asked.
#pragma once

#include "plan/request.hpp"

namespace onefold {

// The plan of one group's column.
//   throws  bad_option: an op with an index or of two arrays, options that say how to fold an array
Plan group_plan(const Request& request, DType dtype);

}  // namespace onefold
