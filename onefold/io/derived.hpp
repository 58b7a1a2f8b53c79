// Tables whose rows --where chooses, and that have the columns of --let in addition to their own.
//
//   reader   a RowReader around that of the table: it evaluates expressions piece by piece, and
//            passes on the rows that are chosen, so all folds of tables take it as any other
//   texts    columns that an expression reads as text are columns of keys of the inner table
//   paths    columns that a file's path spells are constants
//   places   row numbers count only the rows that are chosen
#pragma once

#include <functional>
#include <optional>

#include "onefold/io/table.hpp"

namespace onefold::io {

inline bool is_derived(const InputOptions& o) {
  return !o.choose.empty() || !o.let.empty() || !o.path.empty() || o.without_nan;
}

// Finds the table that other options make of the same file.
using FindTable = std::function<std::optional<Table>(const InputOptions& options)>;

//   text    the file is a text, so its numbers are decimals
//   throws  bad_option: an expression has no meaning, or names a column that does not exist
Table derived_table(const File& file, const InputOptions& options, bool text,
                    const FindTable& find);

}  // namespace onefold::io
