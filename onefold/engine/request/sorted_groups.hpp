// Groups whose elements are copied and sorted into segments: those of pairs, under masks, and with
// weights.
#pragma once

#include <vector>

#include "onefold/engine/plan/plan.hpp"
#include "onefold/engine/plan/query.hpp"
#include "onefold/fold.hpp"

namespace onefold {

// Returns whether groups are folded by fold_sorted().
bool needs_sorting(const ArrayRef* y, const Options& options);

// Checks a fold of groups before their labels are read. Returns the plan for all elements as one
// group.
//   throws  as fold_by
Plan check_sorted(const Query& query, const ArrayRef& x, const ArrayRef* y);

// Folds x[i], or x[i] and y[i], into group numbers[i]; after check_sorted.
//   numbers  below `groups`; those that the mask leaves out are changed
Answers fold_sorted(const Query& query, std::vector<uint32_t>& numbers, Size groups,
                    const ArrayRef& x, const ArrayRef* y);

}  // namespace onefold
