// Lists the contents of a file: its arrays, or the columns of its table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/input.hpp"
#include "io/limits.hpp"
#include "io/progress.hpp"

namespace onefold::io {

struct Content {
  std::string name;                  // empty: the file is this one array
  std::string type;                  // "f64", "text"; what cannot be folded: why not
  std::optional<Dims> shape = {};    // none: of what cannot be read
  std::optional<Size> missing = {};  // NaN and fields without a value; known of columns of numbers
};

struct Contents {
  std::string format;  // "npy", "table", ...
  std::vector<Content> list;
};

// Headers alone are read of what has headers; a text from begin to end.
//   throws  as plan_files does; bad_token: a text that is neither numbers nor a table
Contents contents_of(const std::string& path, const InputOptions& input,
                     const Progress& progress = {}, const Limits& limits = {});

}  // namespace onefold::io
