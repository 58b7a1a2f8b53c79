// Columns of Parquet and Arrow files as arrays, and whole files as tables, by io/arrow/opened.hpp.
//
//   types    bool, integers of 1 to 8 bytes, f16, f32, f64; others are named, and not folded
//   nulls    missing: NaN. In arrays integers and booleans with nulls (or of which the file does
//            not say that there are none) are f64; one that f64 cannot hold is out_of_range
//   tables   all columns are f64, or as --dtype has it; keys are text, numbers, dates, dictionaries
//   streams  of Arrow's are tables, which pipes and compressed files may hold
//   memory   what Arrow may take is capped; rows are read in order, batch by batch
#pragma once

#include "io/arrow/opened.hpp"
#include "io/container.hpp"
#include "io/table.hpp"

namespace onefold::io::arrow {

DenseArray open_column(const File& file, const std::string& path, const std::string& item,
                       const InputOptions& options, Opened::Form form);
std::vector<ContainerItem> list_columns(const File& file, const std::string& path,
                                        Opened::Form form);
Table open_table(File& file, const std::string& path, const InputOptions& options,
                 Opened::Form form);
// Does a stream of Arrow's begin so?
bool begins_stream(std::string_view head);

}  // namespace onefold::io::arrow
