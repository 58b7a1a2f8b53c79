// Folds columns of a table as texts: min, max, mode, nunique, count, for all rows or by keys.
//
//   texts    a field without its quotes, as keys of --by have it, so 1 and 1.0 are two; missing
//            values are left out and counted
//   order    by number if all texts of a column are numbers; else by bytes
//   mode     the most frequent text; of equally frequent ones the first in that order
//   nothing  nunique and count are 0; the others have no value (empty_input)
//   memory   each text of a column once for each key; a pass over the files for each column
#pragma once

#include <string>
#include <vector>

#include "file_fold/asked.hpp"

namespace onefold::io {

// The ops that there are: "count,max,min,mode,nunique".
std::string text_ops();

// Without --by there is one group, whose key has no parts.
//   ops     "min,nunique"
//   throws  unknown_op; bad_option: no columns are named, or a stream with several; empty_input,
//           unless asked.fold.empty_nan; what group_files throws
Grouped fold_texts(const std::string& ops, const std::vector<std::string>& files,
                   const Asked& asked, const Progress& progress, Notes& notes);

}  // namespace onefold::io
