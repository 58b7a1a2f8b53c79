// Windows of a request, checked, and where their elements and answers lie.
#pragma once

#include <string>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/request.hpp"

namespace onefold {

struct PlacedWindows {
  backend::Windows windows;
  Dims shape;  // of the answers, which are in C order
  Size answers;
};
// Places the windows of the one folded axis of x.
//   y       the second array, of x's shape; or null
//   where   how a message begins
//   throws  bad_axis, bad_option, shape_mismatch, type_mismatch
PlacedWindows place_windows(const Windows& given, const ArrayRef& x, const ArrayRef* y,
                            const Options& options, const std::string& where);
// Throws if a device has found that some window's begin or end is bad.
//   found  statuses of one op's answers
void refuse_bad_windows(const Plan& plan, const backend::Windows& windows, const Status* found);

}  // namespace onefold
