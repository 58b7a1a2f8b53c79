// Prints answers to stdout: a bare value, columns, a table, or JSON.
//
//   one op,  one value    prints the value
//   one op,  1 axis left  a line for each value
//   one op,  more axes    a line for each row, an empty line between planes
//   several, one value    a line for each op: name, value
//   several, axes left    a line for each answer: its index, then the value of each op; the first
//                         line names the columns
//
// Complex numbers are printed as (1+2j), in JSON as [1.0, 2.0].
// In a pipe columns are separated by one tab; on a terminal they are aligned and names are bold.
#pragma once

#include <functional>

#include "cli/writer.hpp"
#include "onefold/fold.hpp"
#include "onefold/tables/said.hpp"

namespace onefold::cli {

using io::index_text;
using io::printable;

struct Style {
  bool json = false;
  bool aligned = false;
  bool bold = false;
  int precision = 0;  // significant digits; 0: all of them
};

// Returns the style that fits stdout.
//   handed_on  mpirun passes the output on, so stdout is not treated as a terminal
Style style_of_stdout(bool json, int precision = 0, bool handed_on = false);

// Lines of cells, which are made when they are printed, since there may be many.
struct Cells {
  Size lines = 0;
  std::size_t columns = 0;
  std::function<void(std::string& out, Size line, std::size_t column)> cell;
  bool header = false;          // line 0 names the columns
  bool names = false;           // column 0 has names, which are bold
  std::vector<bool> left = {};  // columns aligned to the left; all others: to the right
  Size plane = 0;               // an empty line follows after so many lines; 0: never
};
// Prints cells separated by tabs, or aligned.
//   widths  of the columns of lines already printed, and then of these too; null: there are none
void print_cells(Writer& out, const Cells& cells, const Style& style,
                 std::vector<std::size_t>* widths = nullptr);
// Prints lines whose cells are separated by tabs, in the same way.
//   names  how many columns have names, which are aligned to the left
void print_tabbed(Writer& out, std::string_view text, bool header, std::size_t names,
                  const Style& style);
// Returns how many columns of a terminal a text takes.
std::size_t width_of(std::string_view text);

//   notes  say which answers are complex numbers
void print_answers(Writer& out, const Answers& answers, const Style& style,
                   const io::Notes& notes = {});

// An answer's elements, each of which is printed in one cell.
struct Elements {
  const Answer* answer;
  bool in_parts;  // the last axis has the parts of complex numbers
  int precision;

  Dims shape() const;
  Size size() const;
  void append(std::string& out, Size i) const;
};
std::vector<Elements> elements_of(const Answers& answers, const io::Notes& notes, int precision);

// Prints answers of a table's columns: a line for each column, with its name and each op's value.
//
//   one op, no header     a line for each column: name, value
//   JSON                  {"mean": {"temp": 1.5}}
void print_columns(Writer& out, const Answers& answers, std::span<const std::string> names,
                   const Style& style);

// Returns the same answers as JSON without line end; names: of a table's columns, if there are any.
std::string json_text(const Answers& answers, std::span<const std::string> names, int precision);

// Prints {"name": ..., ...} with words and numbers, or lines of name and text.
struct Fact {
  std::string name;
  std::string text;
  std::string json;  // the value as JSON; empty: the text, as a string
};
void print_facts(Writer& out, std::span<const Fact> facts, const Style& style);

// Prints lines of equally many words; the first line names the columns.
void print_lines(Writer& out, std::span<const std::vector<std::string>> lines, const Style& style);

}  // namespace onefold::cli
