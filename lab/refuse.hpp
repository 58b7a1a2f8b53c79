// How `lab run` refuses what it was given.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "onefold/error.hpp"

namespace onefold::lab {

[[noreturn]] inline void refuse(const std::string& what) {
  throw Error(ErrorCode::bad_option, "lab run: " + what);
}

inline bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

inline std::string trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front())) != 0) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back())) != 0) s.remove_suffix(1);
  return std::string(s);
}

}  // namespace onefold::lab
