// Tables with selected rows (--where) and additional columns (--let).
//
//   reader   wraps the RowReader of the table. It evaluates expressions piece by piece, and passes
//            on the selected rows, so folds of tables use it like any other reader
//   texts    columns that an expression reads as text are columns of keys of the inner table
//   places   number the selected rows only
#pragma once

#include <functional>
#include <optional>

#include "io/table.hpp"

namespace onefold::io {

inline bool is_derived(const InputOptions& o) { return !o.choose.empty() || !o.let.empty(); }

// Finds the table that other options make of the same file.
using FindTable = std::function<std::optional<Table>(const InputOptions& options)>;

//   text    the file is a text, so its numbers are decimals
//   throws  bad_option: an expression has no meaning, or names a column that does not exist
Table derived_table(const File& file, const InputOptions& options, bool text,
                    const FindTable& find);

}  // namespace onefold::io
