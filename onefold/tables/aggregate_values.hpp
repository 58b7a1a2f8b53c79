// Takes answers of calls from those of their families, and computes with them: --having, and items
// such as sum(price) / count().
//
//   operands  answers, each rounded once; those without a value are null, and so is what is
//             computed from them
//   rounding  each operation in f64, once. --having compares integers exactly, and computes with
//             them as expressions of rows do
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/tables/aggregate_plan.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::io {

// Returns the answer of one op of one column.
Answer answer_at(const Grouped& all, std::size_t op, Size column, const std::string& label);

// Returns an answer of all rows n times, once for each group.
Answer repeated(const Answer& one, Size n);

// Returns answers that are texts of numbers as integers, if the file stores such, or as f64, or, if
// f64 does not hold one, as i64 or u64; nothing if these do not.
//   marks      a table with the marks of its numbers
//   empty_nan  a missing f64 is NaN
std::optional<Answer> numbers_at(const Grouped& all, std::size_t op, const Table& marks,
                                 const PlannedCall& call, bool empty_nan);

// Returns the answers of an expression of the calls before it, as f64 with a status each.
//   grouped    the answers of all calls, in their order
//   empty_nan  a null is NaN
//   throws     bad_option: its values are no numbers
Answer answer_of_expression(const PlannedCall& call, const std::vector<PlannedCall>& calls,
                            const Grouped& grouped, bool empty_nan);

// Keeps the groups of which --having, an expression of calls and keys, is true.
//   throws  bad_option: it is no comparison; out_of_range: an operation would round an integer
void keep_groups(const AggregatePlan& plan, Grouped& grouped);

}  // namespace onefold::io
