// Opens the files of one fold and reads their headers. Together they are one array along the first
// axis, one table, or a stream of numbers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/state/state.hpp"
#include "onefold/io/container.hpp"
#include "onefold/io/file.hpp"
#include "onefold/io/format.hpp"
#include "onefold/io/table.hpp"
#include "onefold/io/text_reader.hpp"

namespace onefold::io {

// An open file. Facts that a million files share are stored once.
struct Notes;

struct OpenFile {
  std::unique_ptr<File> file;
  const Format* format = nullptr;  // null: the file is in a container
  const Container* container = nullptr;
  std::shared_ptr<const DenseArray> array;  // the array of a dense format; for a text only its type
  std::shared_ptr<const Table> table = {};
  std::string remark = {};  // of a file without a table: a sentence about how it is read
  bool text() const { return format != nullptr && format->open == nullptr; }
  const char* format_name() const;
  bool dense() const { return !text() && !array->open_ended; }
};

struct OpenFiles {
  std::vector<OpenFile> x;  // one array along the first axis
  std::vector<OpenFile> y;  // dot: the second array

  DType dtype() const { return x[0].array->dtype; }
  bool dense() const;
  Size bytes() const;  // bytes of all files; 0 if one of them is a stream
  // Call it after the fold. Throws as File::check_end does.
  void check_end();
};

struct TablePart;
// The tables of files that all are tables.
// Adds what is to be said of files without a table; notes: may be null.
void note_remarks(const OpenFiles& files, Notes* notes);
std::vector<TablePart> tables_of(const OpenFiles& files);

// Which marks separate the numbers of a text, by its name. Without `guess`, all do.
Separators separators_of(const File& file, const InputOptions& input);

// Opens one file by its format, or as a text.
//   axes_told  the user named axes, so a text of numbers is a table
OpenFile open_file(const std::string& path, const InputOptions& input, bool axes_told);

// Reads only headers and the first lines of texts. If the user named axes, a text of numbers is a
// table.
//   throws  as plan_files does, except for errors in the options
OpenFiles open_files(const Query& query, const std::vector<std::string>& files,
                     const InputOptions& input);

// How sums treat integers: as decimals if all numbers come from texts of no given type.
Integers integers_of(const Query& query, const InputOptions& input);
Query as_spelt(const Query& query, const OpenFiles& files, const InputOptions& input);

// Makes tables of all texts if one is a table. Returns false if none is.
//   throws  unsupported, shape_mismatch, bad_token: a text that cannot be a table like the others
bool make_tables(OpenFiles& files, const Query& query, const InputOptions& input);

// The description of these files that the states of their shares record. Choose the columns of
// tables before this call.
ShareOf share_of(const OpenFiles& files);

// Reduces the files to a share of their elements, and returns how many elements come before it. A
// text, stream or container belongs to one share as a whole.
//   indexed  whether an op answers with an index
//   throws   unsupported: an index could not be computed
Size take_share(OpenFiles& files, const Share& share, bool indexed);

// All dense files as one array, for the planner; nothing reads its elements.
ArrayRef array_of(const std::vector<OpenFile>& files);

}  // namespace onefold::io
