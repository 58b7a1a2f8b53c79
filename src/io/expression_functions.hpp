// The functions and operators of expressions, one a row.
#pragma once

#include <span>
#include <vector>

#include "io/expression.hpp"

namespace onefold::io {

struct Call {
  const std::vector<Values>& of;
  Size rows;
  bool decimals;
  Values& to;
};

struct Function {
  std::string_view name;
  std::string_view takes;  // a letter for each argument: n, b or t; a last + allows more like it
  Kind gives;
  bool takes_nulls;  // false: if an argument is null, so is the result
  void (*apply)(const Call& call, Size row);
};

std::span<const Function> functions();

}  // namespace onefold::io
