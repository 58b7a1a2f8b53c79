// A source location. A default argument takes it where the function is called.
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

  friend bool operator==(const Site& a, const Site& b) {
    return a.line == b.line && a.column == b.column &&
           (a.file == b.file || std::string_view(a.file) == b.file);
  }
  friend auto operator<=>(const Site& a, const Site& b) {
    const int file = std::string_view(a.file).compare(b.file);
    if (file != 0) return file <=> 0;
    return a.line != b.line ? a.line <=> b.line : a.column <=> b.column;
  }
};

// A bit in a location's column. The location then has a number of its own text (PTX), in addition
// to its line in the source.
inline constexpr uint32_t by_number = uint32_t{1} << 31;

// The same, as it is passed: constants. Nothing of them is stored in the program, where each would
// have to be initialised at start.
struct Caller {
  const char* file = "";
  uint64_t place = 0;

#if defined(__clang__)
  // clang 14 lacks __builtin_source_location, g++ 12 lacks __builtin_COLUMN.
  static constexpr Caller here(const char* f = __builtin_FILE(), uint32_t l = __builtin_LINE(),
                               uint32_t c = __builtin_COLUMN()) {
    return {f, uint64_t{l} << 32 | c};
  }
#else
  static constexpr Caller here(std::source_location s = std::source_location::current()) {
    return {s.file_name(), uint64_t{s.line()} << 32 | s.column()};
  }
#endif
  Site site() const {
    return {file, static_cast<uint32_t>(place >> 32), static_cast<uint32_t>(place)};
  }
  uint64_t hash() const { return place >> 28 ^ place; }
};

inline bool same(const Caller& a, const Caller& b) {
  return __builtin_memcmp(&a, &b, sizeof(Caller)) == 0;
}

}  // namespace onefold::sim
