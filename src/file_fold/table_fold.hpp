// Folds the columns of tables in one pass; or rows, or all numbers together, as the axes say.
//
//   states  are held for all columns, and once more for each piece that is parsed at the same time
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/answer_sink.hpp"
#include "io/limits.hpp"
#include "io/progress.hpp"
#include "io/table.hpp"
#include "onefold/fold.hpp"
#include "plan/request.hpp"

namespace onefold::io {

// The notes to print about a fold in addition to its answers.
struct Notes {
  std::vector<std::string>
      columns;        // what the answers are of, one for each; empty: they have no names
  bool bare = false;  // one column alone, so that its name need not be said
  std::vector<std::string> left_out;  // columns of text
  std::vector<std::string> warnings;  // whole sentences
  std::vector<std::string> folded;    // columns of numbers
  std::vector<Size> missing;          // values of each of them; empty: none of any
  std::set<Size> texts = {};          // columns that turned out to be text: left out
  Size rows = 0;
};

struct TablePart {
  File* file = nullptr;
  std::shared_ptr<const Table> table;
};

// Notes what is to be said of a table that has been read: lines that were left out, missing values,
// or that there was no row.
void note_reading(const File& file, const Table& table, const RowReader& reader, Size rows,
                  Notes& notes);

// The columns that have answers, when all has been read; the others are noted as left out.
//   throws  bad_token: there is none
std::vector<Size> kept_columns(const File& file, const Table& table, Notes& notes);

//   peers   each folds some of the tables, whose answers meet on the first one
//   throws  shape_mismatch: tables of other columns; out_of_memory: the states of so many columns
Answers fold_tables(const Request& request, const std::vector<TablePart>& parts, DType dtype,
                    Integers integers, const Limits& limits, Meter& meter, Notes& notes,
                    AnswerSink* sink = nullptr, Peers* peers = nullptr);
// The notes of all ranks, on the first one.
void meet(Peers* peers, Notes& notes);

}  // namespace onefold::io
