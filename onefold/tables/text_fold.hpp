// Folds text columns of a table: min, max, mode, nunique, count, for all rows or by keys.
//
//   texts    a field without its quotes, like keys of --by: 1 and 1.0 are different texts. Missing
//            values are left out and counted
//   order    by number if all texts of a column are numbers; otherwise by bytes
//   mode     the most frequent text; if several are equally frequent, the first in the order
//   nothing  nunique and count of nothing are 0; other ops have no value (empty_input)
//   memory   each different text of a column once per key. Each column takes a pass over the files
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// The names of the ops: "count,max,min,mode,nunique".
std::string text_ops();

// Without --by there is one group. Its key has no parts.
//   ops     such as "min,nunique"
//   throws  unknown_op; bad_option: no columns are named, or a stream with several; empty_input,
//           unless asked.fold.empty_nan; what group_files throws
Grouped fold_texts(const std::string& ops, const std::vector<std::string>& files,
                   const FileRequest& asked, const Progress& progress, Notes& notes);

}  // namespace onefold::io
