// --union: tables of which columns and their order differ are one table, by the names of columns.
//
//   names   each file needs a header; places and patterns of options mean the columns of all files,
//           in the order in which the files show them
//   lacks   a column that a file lacks has only missing values there
#pragma once

#include <string>
#include <vector>

#include "onefold/io/input.hpp"

namespace onefold::io {

struct OpenFile;  // open_files.hpp

// The options with which all files have the same columns.
struct UnitedInput {
  InputOptions input;
  std::vector<std::string> left_out;  // columns of integers that f64 does not hold, if none is told
};
//   throws  bad_option: a file is no table with names, or is a pipe, which cannot be read twice
UnitedInput with_union(const std::vector<std::string>& files, const InputOptions& input);

// Folds columns that a file has in another order in the order of the first file.
void order_as_first(const OpenFile& first, OpenFile& next);

// Reads integers of containers, and columns without values, as a text's numbers are read where
// another file has decimals or long integers in the column, or is a text of which sums are asked.
//   sums    ops add up decimals
//   throws  type_mismatch: sums, and a file has floats there
void spell_alike(std::vector<OpenFile>& files, bool sums);

}  // namespace onefold::io
