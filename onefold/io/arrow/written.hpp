// Writes columns as a Parquet or an Arrow IPC file, by the plugin onefold_arrow.so.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "onefold/io/arrow/opened.hpp"

namespace onefold::io::arrow {

// Passes the file's bytes to `take`, in order.
//   throws  unsupported: there is no plugin, or Arrow cannot write a column; what `take` throws
void write_table(std::span<const arrow_plugin::OutputColumn> columns, Size rows, bool parquet,
                 const std::function<void(std::string_view)>& take);

}  // namespace onefold::io::arrow
