// The functions and operators of expressions, one a row.
#pragma once

#include <span>
#include <vector>

#include "onefold/io/expression.hpp"

namespace onefold::io {

struct Call {
  const std::vector<Values>& of;
  Size rows;
  bool decimals;
  Values& to;
  const std::string& name;  // of the function
};

struct Function {
  std::string_view name;
  // A letter for each argument; a final + allows more arguments like the last one.
  //   n, b  n: a number or truth value; b: a truth value
  //   t, s  s: a text; t: a text, or the text of a column of numbers
  //   d     a column of numbers, read as text; or a text that is a number
  std::string_view takes;
  Kind gives;
  bool takes_nulls;  // false: if an argument is null, so is the result
  void (*apply)(const Call& call, Size row);
  bool exact = false;  // takes integers that f64 does not hold, and gives the exact result
};

std::span<const Function> functions();

// Refuses an integer that f64 does not hold, since the function would take another number.
//   throws  out_of_range
void check_long(const Call& call, Size row);

}  // namespace onefold::io
