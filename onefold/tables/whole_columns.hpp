// Finds the columns whose fields are all numbers, by reading a table once. Windows answer row by
// row, and a state holds one column: neither can leave a column out later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"
#include "onefold/tables/open_files.hpp"
#include "onefold/tables/table_fold.hpp"

namespace onefold::io {

// Returns these columns as a list for --columns, if others are left out, which the notes name.
// Returns nothing, without reading, if the user chose columns or the files can be read only once.
//   files   as `opened` has them
//   throws  as fold_tables does: no column is left
std::optional<std::string> whole_columns(const OpenFiles& opened, const Query& query,
                                         const std::vector<std::string>& files,
                                         const InputOptions& input, const Limits& limits,
                                         const Progress& progress, Notes& notes);

// Whether the columns hold integers of i64 without missing values, and sums of their rows may be
// 2^53 or more, which f64 rounds. Then windows of them are folded as i64.
//   cost  reads the table once, up to its first number with a fraction, if the ops give integers
bool has_long_sums(const OpenFiles& opened, const Query& query,
                   const std::vector<std::string>& files, const InputOptions& input,
                   const Limits& limits);

}  // namespace onefold::io
