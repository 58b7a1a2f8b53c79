// Reads the options of an experiment. For a meaningless value, the error says what would be right.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace onefold::lab {

// Throws bad_option: `what` "value" has no meaning; `legal` says what has.
[[noreturn]] void refuse(const std::string& what, const std::string& value,
                         const std::string& legal);

// Returns the value of an option, or what it is if it is not given.
std::string given(const std::map<std::string, std::string, std::less<>>& options,
                  std::string_view name, const char* otherwise);

// Reads a number such as 1000, 2^20 or 2^20+3, from `least` to `most`.
uint64_t number(const std::string& what, std::string_view text, uint64_t least, uint64_t most);

// Returns the value of `list` whose name_of is `value`.
template <class List>
auto choose(const std::string& what, const std::string& value, const List& list) {
  std::string legal;
  for (const auto v : list) {
    if (value == name_of(v)) return v;
    legal += (legal.empty() ? "choose one of " : ", ") + std::string(name_of(v));
  }
  refuse(what, value, legal);
}

}  // namespace onefold::lab
