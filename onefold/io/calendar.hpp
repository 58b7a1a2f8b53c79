// Weeks, quarters and the beginnings of spans of the calendar.
//
//   week    of ISO 8601: it begins on Monday, and week 1 has the year's first Thursday
//   quarter 1 to 4
//   spans   year, quarter, month, week, day; hour, minute, second, which keep the zone
#pragma once

#include <optional>
#include <string_view>

#include "onefold/io/time_text.hpp"

namespace onefold::io {

struct IsoWeek {
  int year = 0;  // to which the week belongs: 2024-12-30 is in week 1 of 2025
  int week = 0;
};
IsoWeek iso_week_of(std::chrono::sys_days date);
inline int quarter_of(std::chrono::month month) {
  return (static_cast<int>(static_cast<unsigned>(month)) + 2) / 3;
}

enum class CalendarSpan : uint8_t { year, quarter, month, week, day, hour, minute, second };
std::optional<CalendarSpan> find_span(std::string_view name);
inline constexpr std::string_view span_names =
    "'year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second'";

// Returns where the span around a time begins: a date for year to day, else a timestamp.
DateParts truncated(DateParts parts, CalendarSpan span);

}  // namespace onefold::io
