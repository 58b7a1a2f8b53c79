// Answers as a table of named columns, as files of answers have them.
//
//   groups             the keys, then each column's answers; of texts without keys as next
//   columns of tables  a line a column: its name, then the answers
//   axes left          a line an answer: its index along each of them, then the answers
//   one value each     one line
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/writer.hpp"
#include "file_fold/group_fold.hpp"

namespace onefold::cli {

struct AnswerTable {
  struct Column {
    std::string name;
    const Answer* answer = nullptr;  // line k has its element first + k * step; null: texts
    Size first = 0, step = 1;
    std::function<std::optional<std::string_view>(Size line)> text = {};  // none: null
    std::optional<DType> type = {};  // of texts that are integers or bools
  };
  Size lines = 0;
  std::vector<Column> columns;
  bool nulls = false;                 // a text that is "null" is told from none
  std::function<void(Writer&)> json;  // writes the answers as --json prints them
  std::deque<Answer> made = {};       // indices

  // The value of a column of answers.
  static Value value_of(const Column& column, Size line) {
    return (*column.answer)[column.first + line * column.step];
  }
};

// Both refer to the answers, which live longer.
//   names  of the columns of a table; empty: there are none
AnswerTable table_of(const Answers& answers, std::span<const std::string> names, int precision);
AnswerTable table_of(const io::Grouped& grouped, int precision);

// Prints names and lines, between tabs. A text is in quotes where a tab, a line end or another
// control character, a quote in front or a blank at an end stands in it, or where it looks like
// none; \t, \n, \xHH, \" and \\ within them. So no two texts look alike.
void print_lines_of(Writer& out, const AnswerTable& table, int precision);
std::string cell_text(std::optional<std::string_view> text, bool nulls);

}  // namespace onefold::cli
