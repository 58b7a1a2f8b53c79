// Makes answers a table of named columns, as files of answers need them.
//
//   groups             keys, then each column's answers; for texts without keys, the next row
//   columns of tables  a line for each column: its name, then its answers
//   axes left          a line for each answer: its index along each axis, then the answers
//   one value each     one line
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/print.hpp"
#include "cli/writer.hpp"
#include "onefold/tables/group_fold.hpp"

namespace onefold::cli {

struct AnswerTable {
  struct Column {
    std::string name;
    const Answer* answer = nullptr;  // line k: element first + k * step; null: texts
    Size first = 0, step = 1;
    std::function<std::optional<std::string_view>(Size line)> text = {};  // nothing: null
    std::optional<DType> type = {};  // for texts that all are integers or bools
    bool answers_texts = false;      // the texts are answers, as of mode; else keys or names
  };
  Size lines = 0;
  std::vector<Column> columns;
  bool headed = true;  // a line of names is first; else the lines follow those of another table
  bool nulls = false;  // the text "null" must look different from a missing one
  std::function<void(Writer&)> json;  // writes the answers as --json prints them
  std::deque<Answer> made = {};       // columns of indices

  // Returns one line's value in a column of answers.
  static Value value_of(const Column& column, Size line) {
    return (*column.answer)[column.first + line * column.step];
  }
};

// These functions refer to the answers, which must outlive the table.
//   names  of a table's columns; empty: it is no table
AnswerTable table_of(const Answers& answers, std::span<const std::string> names, int precision);
AnswerTable table_of(const io::Grouped& grouped, int precision);

// Prints names and lines, separated by tabs or aligned. A text is quoted if it has a tab, a line
// end or another control character, begins with a quote, begins or ends with a blank, or looks like
// a missing one. In quotes \t, \n, \xHH, \" and \\ are used. So different texts never look alike.
//   widths  as print_cells has it, for a table that is printed in parts
void print_lines_of(Writer& out, const AnswerTable& table, const Style& style,
                    std::vector<std::size_t>* widths = nullptr);
std::string cell_text(std::optional<std::string_view> text, bool nulls);

}  // namespace onefold::cli
