// --rolling, --cumulative, --over: prints an answer for each row of a table, as the rows are read.
#pragma once

#include <string>
#include <vector>

#include "cli/verb.hpp"
#include "onefold/engine/plan/query.hpp"

namespace onefold::cli {

// Prints a line for each row: its keys, then for each column the value of each op, below a line of
// names; only the value if there are no keys, one column and one op. JSON: an object a line.
//   throws  as io::fold_row_windows; bad_option: --each
void fold_windows(const Query& query, const std::vector<std::string>& files,
                  const Arguments& arguments);

}  // namespace onefold::cli
