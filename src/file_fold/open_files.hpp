// Opens the files of one fold and reads their headers. Together they are one array along the first
// axis, one table, or a stream of numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/state.hpp"
#include "io/container.hpp"
#include "io/file.hpp"
#include "io/format.hpp"
#include "io/table.hpp"
#include "plan/request.hpp"

namespace onefold::io {

// An open file. Facts that a million files share are stored once.
struct OpenFile {
  std::unique_ptr<File> file;
  const Format* format = nullptr;  // null: it is in a container
  const Container* container = nullptr;
  std::shared_ptr<const DenseArray> array;  // the array of a dense format; for a text only its type
  std::shared_ptr<const Table> table = {};
  bool text() const { return format != nullptr && format->open == nullptr; }
  const char* format_name() const;
  bool dense() const { return !text() && !array->open_ended; }
};

struct OpenFiles {
  std::vector<OpenFile> x;  // one array along the first axis
  std::vector<OpenFile> y;  // dot: the second

  DType dtype() const { return x[0].array->dtype; }
  bool dense() const;
  Size bytes() const;  // bytes of all files; 0 if one of them is a stream
  // When all has been folded. throws what File::check_end throws
  void check_end();
};

// One file, by its format or as a text.
//   axes_told  numbers alone in a text are a table
OpenFile open_file(const std::string& path, const InputOptions& input, bool axes_told);

// Reads no data beyond headers and the first lines of texts; numbers alone in a text are a table
// where axes are told.
//   throws  as plan_files does, but for what is wrong with the options
OpenFiles open_files(const Request& request, const std::vector<std::string>& files,
                     const InputOptions& input);

// The request, with sums of decimals where all numbers are those of texts of no given type.
Integers integers_of(const Request& request, const InputOptions& input);
Request as_spelt(const Request& request, const OpenFiles& files, const InputOptions& input);

// Makes tables of all texts where one is; none is one: false.
//   throws  unsupported, shape_mismatch, bad_token: what cannot be a table beside it
bool make_tables(OpenFiles& files, const Request& request, const InputOptions& input);

// The description of these files that the states of their shares record. Columns of tables must be
// chosen before.
ShareOf share_of(const OpenFiles& files);

// Leaves what a share has of the elements of all files, and returns how many stand before it.
// Texts, streams and containers go to shares as a whole.
//   indexed  an op answers with an index
//   throws   unsupported: a place could not be told
Size take_share(OpenFiles& files, const Share& share, bool indexed);

// The array that dense files are together, as the planner wants it; its data are never touched.
ArrayRef array_of(const std::vector<OpenFile>& files);

}  // namespace onefold::io
