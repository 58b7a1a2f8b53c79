// A place in a source text, taken at the call site through a default argument.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#if !defined(__clang__)
#include <source_location>
#endif

namespace onefold::sim {

struct Site {
  const char* file = "";
  uint32_t line = 0, column = 0;

#if defined(__clang__)
  // clang 14 has no __builtin_source_location, g++ 12 no __builtin_COLUMN.
  static constexpr Site here(const char* f = __builtin_FILE(), uint32_t l = __builtin_LINE(),
                             uint32_t c = __builtin_COLUMN()) {
    return {f, l, c};
  }
#else
  static constexpr Site here(std::source_location s = std::source_location::current()) {
    return {s.file_name(), s.line(), s.column()};
  }
#endif

  friend bool operator==(const Site& a, const Site& b) {
    return a.line == b.line && a.column == b.column &&
           (a.file == b.file || std::string_view(a.file) == b.file);
  }
  friend auto operator<=>(const Site& a, const Site& b) {
    const auto file = std::string_view(a.file) <=> std::string_view(b.file);
    if (file != 0) return file;
    return a.line != b.line ? a.line <=> b.line : a.column <=> b.column;
  }
};

}  // namespace onefold::sim
