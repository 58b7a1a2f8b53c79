// Expressions over the columns of a table, for --where and --let: `qty > 5 and region == "North"`.
//
//   or, and, not           nulls as in SQL: `null and false` is false, `null or true` is true
//   == != < <= > >= in     of two numbers, texts or truths; also is null, is not null
//   + - * / %              of numbers; the functions are rows of expression_functions.cpp
//   "text" 'text'          "" in a text is a quote; texts compare by their bytes
//   names                  of columns; `in back quotes` where they have other characters
//   numbers                are f64. Of a text + - * % and bin are those of decimals, where operands
//                          and result have at most 15 digits; all else rounds once an operation
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/array.hpp"

namespace onefold::io {

enum class Kind : uint8_t { number, truth, text };

// The values of an expression, a row each; a constant has one for all rows.
struct Values {
  Kind kind = Kind::number;
  std::vector<double> numbers = {};  // truths are 1 and 0
  std::vector<std::string> texts = {};
  std::vector<unsigned char> null = {};  // 1: there is no value
  bool constant = false;

  Size at(Size row) const { return constant ? 0 : row; }
  bool is_null(Size row) const { return null[at(row)] != 0; }
  double number(Size row) const { return numbers[at(row)]; }
  const std::string& text(Size row) const { return texts[at(row)]; }
  void resize(Size n);
};

struct Function;

struct Node {
  enum class What : uint8_t { constant, column, call };
  What what = What::constant;
  Kind kind = Kind::number;
  std::string name = {};   // of a column or a function
  std::size_t column = 0;  // as a Resolve has it
  bool as_text = false;    // a column of numbers whose fields are asked for as they stand
  Values value = {};       // of a constant
  const Function* function = nullptr;
  std::vector<Node> parts = {};
};

// What a name stands for; it throws where it stands for nothing.
struct Named {
  std::size_t column = 0;
  Kind kind = Kind::number;
  bool has_text = true;  // its fields can be read as text
};
using Resolve = std::function<Named(const std::string& name)>;
// The values of a column as its kind, or as text.
using ColumnValues = std::function<Values(std::size_t column, bool as_text)>;

// Parses an expression; all of its names are in `names`, each once.
//   throws  bad_option: `--where "...": ...`
Node parse_expression(const std::string& option, std::string_view text,
                      std::vector<std::string>& names);
// Parses `name = expression, ...`.
struct Let {
  std::string name;
  Node node;
  std::vector<std::string> names = {};
};
std::vector<Let> parse_lets(const std::string& option, std::string_view text);

// Sets the columns and kinds of a tree.
//   option  for messages: "--where"
//   throws  bad_option: a function that does not take such parts
void bind_columns(Node& node, const std::string& option, const Resolve& resolve);

//   decimals  numbers are those of a text
//   throws    bad_token: a text that is no date
Values evaluate(const Node& node, Size rows, bool decimals, const ColumnValues& columns);

// The shortest text that is this f64: 3, 0.1, 1e+22.
std::string text_of_number(double number);

}  // namespace onefold::io
