// Folds columns of a table, each by ops of its own, for all rows or by keys:
// `sum(price), n = nunique(user), p90(price * qty)`.
//
//   calls    OP(COLUMN), OP(EXPRESSION) or OP(X, Y), with `name = ` before a call that gets a name.
//            Ops of all columns and pairs; median, p1 to p99 and quantile(x, 0.999); nunique,
//            mode, first and last, of texts; count() of rows. average(x, w) has weights
//            OP(x, weights = w); total(CALL), fraction(CALL), and arithmetic of calls
//   answers  bit for bit those of each op and column alone
//   passes   one for the ops of numbers, one for quantiles, and one for each pair of columns, and
//            for each column of times, of texts, and of first and last values
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Returns groups of one column without a name: each call is an op, called as the user did. Without
// --by there is one group, whose key has no parts.
//   having  an expression of the calls, true for groups that are kept; empty: all are
//   asked   `by` may have expressions; columns are named by the calls
//   throws  bad_option: no such list, or a pipe with several passes; what group_asked, fold_texts,
//           fold_times and group_quantiles throw
Grouped aggregate(const std::string& list, const std::string& having,
                  const std::vector<std::string>& files, const FileRequest& asked,
                  const Progress& progress, Notes& notes);

// Returns how often a pipe among the files would be read; without one 1.
//   throws  bad_option, unknown_op: what is wrong with the lists
std::size_t passes_of_aggregate(const std::string& list, const std::string& having,
                                const std::vector<std::string>& files, const FileRequest& asked);

}  // namespace onefold::io
