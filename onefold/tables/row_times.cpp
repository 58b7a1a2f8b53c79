#include "onefold/tables/row_times.hpp"

#include <utility>

#include "onefold/tables/input_words.hpp"

namespace onefold::io {
namespace {

constexpr Int128 unit = 1000000000;

// Parses digits with at most 9 decimals, as a multiple of 10^-9.
std::optional<Int128> parse_fixed(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  constexpr Int128 most = 100 * unit * unit * unit;  // 10^20, beyond integers of 64 bits
  Int128 value = 0, place = 0;  // place: the unit of the next decimal; 0 before the point
  bool any = false;
  for (const char c : text) {
    if (c == '.' && place == 0) {
      place = unit;
      value *= unit;
      continue;
    }
    if (c < '0' || c > '9') return {};
    any = true;
    if (place == 0) {
      value = value * 10 + (c - '0');
    } else if (place > 1) {
      place /= 10;
      value += place * (c - '0');
    } else if (c != '0') {
      return {};
    }
    if (value >= most) return {};
  }
  if (!any) return {};
  if (place == 0) value *= unit;
  if (value >= most) return {};
  return negative ? -value : value;
}

}  // namespace

bool RowTime::goes_with(const RowTime& o) const {
  if (number || o.number) return number && o.number;
  return common(kind, o.kind).has_value() && zoned == o.zoned;
}

std::optional<RowTime> parse_row_time(std::string_view text) {
  if (const auto number = parse_fixed(text)) return RowTime{.at = *number, .number = true};
  const auto time = parse_time(text);
  if (!time) return {};
  return RowTime{.at = time->ns, .kind = time->kind, .zoned = time->zoned};
}

TimeSpan parse_span(const std::string& option, const std::string& text) {
  constexpr Int128 us = 1000, ms = 1000 * us, s = 1000 * ms, min = 60 * s, hour = 60 * min,
                   day = 24 * hour;
  constexpr std::pair<std::string_view, Int128> units[] = {
      {"ns", 1},   {"us", us}, {"ms", ms}, {"s", s},      {"sec", s},   {"min", min},  {"h", hour},
      {"H", hour}, {"D", day}, {"d", day}, {"days", day}, {"day", day}, {"W", 7 * day}};
  const std::size_t end = text.find_first_not_of("0123456789.");
  const auto count = parse_fixed(std::string_view(text).substr(0, end));
  std::string_view word = end == text.npos ? "" : std::string_view(text).substr(end);
  while (word.starts_with(' ')) word.remove_prefix(1);
  if (count && *count > 0) {
    if (end == text.npos) return {.length = *count, .number = true};
    for (const auto& [name, length] : units) {
      // Whole nanoseconds only; 10^18 units of time would not fit.
      if (word != name || *count >= unit * unit || *count * length % unit != 0) continue;
      return {.length = *count * length / unit};
    }
  }
  refuse_word(option, text,
              "write a span of time, such as 7D, 12h, 30min, 2.5s or 250ms; if the times are "
              "numbers, write a number");
}

}  // namespace onefold::io
