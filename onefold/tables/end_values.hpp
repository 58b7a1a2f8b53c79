// Finds the first and the last value of a column of a table, for all rows or by keys.
//
//   value    the text of its field, as keys of --by have it, in the first (last) row in which it is
//            not missing; the files are one after another
//   nothing  no value (empty_input)
//   memory   two texts and a key for each group; one pass over the files
#pragma once

#include <string>
#include <vector>

#include "onefold/tables/asked.hpp"

namespace onefold::io {

// Without --by there is one group, whose key has no parts.
//   ops     first, last or both, in their order
//   numbers the column holds numbers, so --non-numbers missing leaves out other texts
//   asked   `columns` names one column
//   throws  empty_input, unless asked.fold.empty_nan; out_of_memory; what group_files throws
Grouped fold_ends(const std::vector<std::string>& ops, bool numbers,
                  const std::vector<std::string>& files, const FileRequest& asked,
                  const Progress& progress, Notes& notes);

}  // namespace onefold::io
