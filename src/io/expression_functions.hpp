// The functions and operators of expressions: a row each.
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
  std::string_view takes;  // of each part n, b or t; a last + stands for more of them
  Kind gives;
  bool takes_nulls;  // else a null among the parts makes a null
  void (*apply)(const Call& call, Size row);
};

std::span<const Function> functions();

}  // namespace onefold::io
