// Checks and plans folds of groups.
#pragma once

#include "plan/request.hpp"

namespace onefold {

// What the elements of groups come with.
struct GroupElements {
  bool places = false;  // indices, so ops may ask for them
  bool pairs = false;   // elements of a second array, so ops may be of two arrays
};

// Throws bad_option: an op with an index or of two arrays, options that say how to fold an array.
void check_groups(const Request& request, const GroupElements& elements = {});

// The plan of one group's column, whose keys are looked up.
//   throws  as check_groups; bad_option: a device, a stream
Plan group_plan(const Request& request, DType dtype, const GroupElements& elements = {});

}  // namespace onefold
