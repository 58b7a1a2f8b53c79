// Computes with answers of calls: --having, and items such as sum(price) / count().
//
//   operands  answers, each rounded once; those without a value are null, and so is what is
//             computed from them
//   rounding  each operation in f64, once. --having refuses an integer that f64 does not hold
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/aggregate_plan.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

// Returns the answers of an expression of the calls before it, as f64 with a status each.
//   grouped    the answers of all calls, in their order
//   empty_nan  a null is NaN
//   throws     bad_option: its values are no numbers
Answer answer_of_expression(const PlannedCall& call, const std::vector<PlannedCall>& calls,
                            const Grouped& grouped, bool empty_nan);

// Keeps the groups of which --having is true.
//   throws  bad_option: it is no comparison; out_of_range: f64 does not hold an integer
void keep_groups(const Node& having, const std::vector<PlannedCall>& calls, Grouped& grouped);

}  // namespace onefold::io
