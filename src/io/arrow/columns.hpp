// Columns of Parquet and Arrow files as arrays, by the plugin onefold_arrow.so.
//
//   types    bool, integers of 1 to 8 bytes, f16, f32, f64; others are named, and not folded
//   nulls    missing: NaN. Integers and booleans with nulls (or of which the file does not say that
//            there are none) are f64; one that f64 cannot hold is out_of_range
//   memory   what Arrow may take is capped; rows are read in order, batch by batch
#pragma once

#include "io/container.hpp"

namespace onefold::io::arrow {

DenseArray open_column(const File& file, const std::string& path, const std::string& item,
                       const InputOptions& options, bool parquet);
std::vector<ContainerItem> list_columns(const File& file, const std::string& path, bool parquet);

}  // namespace onefold::io::arrow
