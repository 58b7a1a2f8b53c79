// Lists the contents of a file: its arrays, or the columns of its table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onefold/io/input.hpp"
#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"

namespace onefold::io {

struct Content {
  std::string name;                  // empty: the file is one array without a name
  std::string type;                  // "f64", "text"; if it cannot be folded: the reason
  std::optional<Dims> shape = {};    // none: the member cannot be read
  std::optional<Size> missing = {};  // NaN and fields without a value; only for columns of numbers
  // A column of which some fields are no numbers: how many are, and the first that is none.
  std::optional<Size> numbers = {};
  Size other_line = 0;
  std::string other = {};
};

struct Contents {
  std::string format;  // "npy", "table", ...
  std::vector<Content> list;
};

// Reads only headers where a format has them, but a text from its first to its last byte.
//   throws  as plan_files does; bad_token: a text with neither numbers nor a table
Contents contents_of(const std::string& path, const InputOptions& input,
                     const Progress& progress = {}, const Limits& limits = {});

// Returns the names of a table's columns, after a look at the beginning of the file; none: it is no
// table, or a table without names.
//   throws  as plan_files does
std::vector<std::string> names_of_columns(const std::string& path, const InputOptions& input);

}  // namespace onefold::io
