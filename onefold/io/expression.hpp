// Expressions over the columns of a table, for --where and --let: `qty > 5 and region == "North"`.
//
//   or, and, not           nulls as in SQL: `null and false` is false, `null or true` is true
//   == != < <= > >= in     compare two numbers, texts or truth values; also is null, is not null.
//                          Texts that are times compare as times; a column of numbers compares
//                          with a text that is a number, digit by digit
//   + - * / %              take numbers; the functions are rows of expression_functions.cpp.
//                          x ** 3 is x * x * x
//   "text" 'text'          "" in a text is a quote; other texts compare by their bytes
//   names                  mean columns; `in back quotes` if they have other characters
//   numbers                are f64, or integers below 2^116. + - * % and bin of integers are exact;
//                          so are they for texts, whose numbers are decimals, if operands and
//                          result have at most 15 digits and are normal f64. Every other operation
//                          rounds once, and takes no integer that f64 does not hold
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/io/expression_values.hpp"

namespace onefold::io {

// How an expression reads a column.
enum class Reads : uint8_t {
  value,  // numbers, texts or truth values, as the column's kind is
  text,   // the text of its fields
  // The text of a column of numbers, with plain marks: 1234.5 whatever the marks of the table are.
  digits
};

struct Function;

struct Node {
  enum class What : uint8_t { constant, column, call };
  What what = What::constant;
  Kind kind = Kind::number;
  std::string name = {};   // the name of a column or a function
  std::size_t column = 0;  // the number that Resolve gives it
  Reads reads = Reads::value;
  Values value = {};  // the value of a constant
  const Function* function = nullptr;
  bool power = false;  // written x ** 3
  std::vector<Node> parts = {};
  friend bool operator==(const Node&, const Node&) = default;
};

// Finds what a name means; throws if it means nothing.
struct Named {
  std::size_t column = 0;
  Kind kind = Kind::number;
  bool has_text = true;  // its fields can also be read as text
  bool times = false;    // its values are times; for a column of text, those of the first lines are
};
using Resolve = std::function<Named(const std::string& name)>;
using ColumnValues = std::function<Values(std::size_t column, Reads reads)>;

// Parses an expression, and collects its names in `names`, each once.
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

// A call of an op on columns, such as sum(price * qty), or of total or fraction on such a call.
// Where expressions may have such calls, each is a node of a column whose name is the call's.
struct OpCall {
  struct Part {
    std::string text;
    Node node;
  };
  std::string op, name;  // "sum", "sum(price * qty)"
  std::vector<Part> parts = {};
};
// Whether an op takes a call and no column: total(sum(price)), fraction(sum(price)).
bool takes_call(const std::string& op);
// Expressions between commas, each with its text. Their names may be those of calls.
struct Item {
  std::string text;
  Node node;
};
//   where  for messages: "--by"
//   ops    the names of ops; empty: there are no calls
//   calls  gets each call once
std::vector<Item> parse_items(const std::string& where, std::string_view text,
                              const std::vector<std::string>& ops, std::vector<OpCall>& calls);

// Finds the columns and kinds of a tree of nodes.
//   option  for messages: "--where"
//   throws  bad_option: a function does not take such arguments
void bind_columns(Node& node, const std::string& option, const Resolve& resolve);

//   decimals  the numbers come from a text
//   throws    bad_token: a text should be a date, a time or a number, and is none
Values evaluate(const Node& node, Size rows, bool decimals, const ColumnValues& columns);

// Returns the fewest digits that read back to this f64, as answers are printed: 3, 0.1, 1e+22.
std::string text_of_number(double number);

}  // namespace onefold::io
