// Columns of Parquet and Arrow files as arrays, and whole files as tables, by
// onefold/io/arrow/opened.hpp.
//
//   types    bool, integers of 1 to 8 bytes, f16, f32, f64; columns of other types are named in a
//            note, not folded
//   nulls    are missing values: NaN. In arrays integers and booleans become f64 if they have
//            nulls, or if the file does not say that they have none; an integer that f64 cannot
//            hold is out_of_range
//   tables   all columns are f64, or as --dtype has it; keys are text, numbers, dates, dictionaries
//   streams  of Arrow are tables; they may come from pipes and compressed files
//   memory   Arrow's memory is limited; rows are read in order, batch by batch
#pragma once

#include "onefold/io/arrow/opened.hpp"
#include "onefold/io/container.hpp"
#include "onefold/io/table.hpp"

namespace onefold::io::arrow {

DenseArray open_column(const File& file, const std::string& path, const std::string& item,
                       const InputOptions& options, ArrowFile::Form form);
std::vector<ContainerItem> list_columns(const File& file, const std::string& path,
                                        ArrowFile::Form form);
Table open_table(File& file, const std::string& path, const InputOptions& options,
                 ArrowFile::Form form);
// Returns whether a stream of Arrow begins like this.
bool begins_stream(std::string_view head);

}  // namespace onefold::io::arrow
