// The columns of a table of which all fields are numbers, found by reading it once. What cannot leave
// a column out later needs them first: windows, which answer row by row, and a state of one column.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

// Returns these columns as a list for --columns, if a fold of all columns would leave others out; the
// notes list those. Returns nothing, without reading, if the user chose columns, or if the files can
// be read only once.
//   files   as `opened` has them
//   throws  as fold_tables does: no column is left
std::optional<std::string> whole_columns(const OpenFiles& opened, const Query& query,
                                         const std::vector<std::string>& files,
                                         const InputOptions& input, const Limits& limits,
                                         const Progress& progress, Notes& notes);

}  // namespace onefold::io
