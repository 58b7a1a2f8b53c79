// Prints answers to stdout: a bare value, columns, a table, or JSON.
//
//   one op,  one value    the value
//   one op,  1 axis left  a value a line
//   one op,  more axes    a line a row, an empty line between planes
//   several, one value    a line an op: name, value
//   several, axes left    a line an output element: its index, then the value of each op; the first
//                         line names the columns
//
// In a pipe columns are separated by one tab; on a terminal they are aligned and names are bold.
#pragma once

#include "cli/writer.hpp"
#include "file_fold/said.hpp"
#include "onefold/fold.hpp"

namespace onefold::cli {

using io::index_text;
using io::printable;

struct Style {
  bool json = false;
  bool aligned = false;
  bool bold = false;
  int precision = 0;  // significant digits; 0: all
};

// For what stdout is.
//   handed_on  to whom is not known: what looks like a terminal belongs to mpirun
Style style_of_stdout(bool json, int precision = 0, bool handed_on = false);

void print_answers(Writer& out, const Answers& answers, const Style& style);

// Answers of the columns of a table, under their names: a line a column, and a column an op.
//
//   one op, no table      a line a column: name, value
//   JSON                  {"mean": {"temp": 1.5}}
void print_columns(Writer& out, const Answers& answers, std::span<const std::string> names,
                   const Style& style);

// The same answers as JSON without its line end; names: of columns, if there are any.
std::string json_text(const Answers& answers, std::span<const std::string> names, int precision);

// {"name": ..., ...} of words and numbers, or lines of name and text.
struct Fact {
  std::string name;
  std::string text;
  std::string json;  // as JSON; empty: the text as a string
};
void print_facts(Writer& out, std::span<const Fact> facts, const Style& style);

// Lines of words, all of one length; the first names the columns.
void print_lines(Writer& out, std::span<const std::vector<std::string>> lines, const Style& style);

}  // namespace onefold::cli
