// The plan of a fold of segments, made without reading the offsets.
#pragma once

#include "onefold/engine/backend/backend.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// All segments, and the plan that folds them.
struct SegmentsFold {
  Plan plan;
  std::vector<int64_t> numbers = {};  // the offsets, if their array is on the host
  backend::Segments segments = {};
};
// Throws unless offsets are k + 1 integers, for k segments.
void check_offsets(const ArrayRef& offsets, const std::string& where);
// Copies checked offsets of the host, which rise within 0 .. n.
std::vector<int64_t> numbers_of(const ArrayRef& offsets, Size n, const std::string& where);
// A device needs contiguous offsets; the fold checks their values and reports bad_offsets.
//   one      the plan of a single segment
//   offsets  of the host: their values are checked
SegmentsFold plan_all_segments(Plan one, const ArrayRef& x, const ArrayRef* y,
                               const ArrayRef& offsets, const Options& options);
// Checks options, an array that has a first axis, and the offsets' type and shape.
void check_segments(const std::string& where, const ArrayRef& x, const ArrayRef& offsets,
                    const Options& options, bool queued);
// Throws for the first segment whose offsets are bad, by the statuses of a device's answers.
void refuse_bad_offsets(const Plan& plan, const ArrayRef& x, Size segments, const Status* found);

// Plans the fold as if all of x's first axis were one segment.
//   offsets  only its type and shape are checked
//   throws   as fold_segments, except for errors in the offsets' values
Plan plan_segments(std::string_view ops, const ArrayRef& x, const ArrayRef& offsets,
                   const Options& options);

}  // namespace onefold
