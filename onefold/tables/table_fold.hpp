// Folds a table in one pass: each column, each row, or all numbers, as the axes say.
//
//   states  one for each column, and as many again for each piece that is parsed at the same time
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "onefold/engine/plan/query.hpp"
#include "onefold/engine/request/answer_sink.hpp"
#include "onefold/fold.hpp"
#include "onefold/io/limits.hpp"
#include "onefold/io/progress.hpp"
#include "onefold/io/row_reader.hpp"
#include "onefold/io/table.hpp"

namespace onefold::io {

// What was found while a file was read.
struct FileRead {
  std::string name;
  Size rows = 0;
  Size bad = 0;                        // bad lines that were left out
  std::string first_bad;               // where the first one is, and what is wrong with it
  std::set<std::string> unknown = {};  // members that its first lines lack
  bool headed = false;                 // it has a header
  bool continues = false;              // other ranks read the rows before
  Size repeats = 0;                    // lines that repeat the header, and are left out
  std::string remark = {};             // a sentence about how it is read
};

// The notes to print about a fold in addition to its answers.
struct Notes {
  std::vector<std::string>
      columns;        // names of the columns that answers are of; empty: answers have no names
  bool bare = false;  // only one column: its name need not be printed
  std::vector<Size> slots = {};       // the same columns, by their numbers among the folded ones
  std::vector<std::string> left_out;  // names of text columns
  // Columns that are left out since some of their fields are no numbers, or all are missing.
  std::vector<std::string> partly_numbers = {}, without_values = {};
  std::vector<FileRead> read = {};  // in the order of the files
  std::vector<std::string> folded;  // names of columns of numbers
  std::vector<Size> missing;        // number of missing values in each of them; empty: none
  OthersBySlot others = {};         // what is no number in them
  Size rows = 0;
  std::vector<bool> in_parts =
      {};  // of complex numbers: whether an answer's last axis has both parts
};

// Whether the last axis of answer k has the parts of complex numbers.
inline bool is_in_parts(const Notes& notes, std::size_t k) {
  return k < notes.in_parts.size() && notes.in_parts[k];
}

struct TablePart {
  File* file = nullptr;
  std::shared_ptr<const Table> table;
};

// Adds notes about a table after reading it: lines that were left out, missing values, or that it
// had no rows.
void note_reading(const File& file, const Table& table, const RowReader& reader, Size rows,
                  Notes& notes);

// After reading: the columns that have answers. The notes list the other columns as left out.
//   throws  bad_token, out_of_range: no column has answers
std::vector<Size> kept_columns(const File& file, const Table& table, Notes& notes);
// The same; there may be none.
std::vector<Size> columns_of_numbers(const Table& table, Notes& notes);
// Drops the columns of which all values are missing, if an op has no answer for them; the notes
// list them.
void drop_without_values(const Query& query, const Table& table, Notes& notes,
                         std::vector<Size>& kept);
// Throws bad_token or out_of_range: no column is kept.
[[noreturn]] void refuse_all_columns(const File& file, const Table& table, const Notes& notes);
// Returns the number of the column of a slot.
std::size_t column_of_slot(const Table& table, Size slot);

// Throws bad_token or out_of_range: a column that cannot be left out has no numbers of f64.
[[noreturn]] void refuse_text(const File& file, const Table& table, const std::string& column);
// The same, for the first column of the notes that was left out after reading.
[[noreturn]] void refuse_left_out(const File& file, const Table& table, const Notes& notes);
// Throws bad_option unless two columns, `width`, are chosen.
void check_two_columns(const Query& query, const File& file, Size width);

// Throws shape_mismatch: the columns of a file are not those of the first one.
[[noreturn]] void refuse_other_columns(const File& other);

//   integers  `noted`: such columns have no answers, and there may be none at all; notes.others has
//             them
//   peers   each rank folds some of the tables; the first rank gets the answers
//   throws  shape_mismatch: tables with other columns; out_of_memory: too many columns for states
Answers fold_tables(const Query& query, const std::vector<TablePart>& parts, DType dtype,
                    Integers integers, const Limits& limits, Meter& meter, Notes& notes,
                    AnswerSink* sink = nullptr, Peers* peers = nullptr);
// Sends the notes of all ranks to the first rank.
void meet(Peers* peers, Notes& notes);

}  // namespace onefold::io
