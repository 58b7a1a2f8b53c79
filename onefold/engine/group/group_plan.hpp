// Checks and plans folds of groups.
#pragma once

#include "onefold/engine/plan/query.hpp"

namespace onefold {

// What is given for each element in addition to its value and key.
struct GroupElements {
  bool places = false;  // indices, so ops may answer with one
  bool pairs = false;   // elements of a second array, so ops may be of two arrays
  bool sorted = false;  // a mask or weights, which are sorted with the elements
};

// Throws bad_option: an op with an index or of two arrays, options that say how to fold an array.
void check_groups(const Query& query, const GroupElements& elements = {});

// Returns the plan that folds one group's elements.
//   throws  as check_groups; bad_option: a device, a stream
Plan group_plan(const Query& query, DType dtype, const GroupElements& elements = {});

}  // namespace onefold
