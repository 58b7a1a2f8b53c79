#include "onefold/io/calendar.hpp"

#include <algorithm>
#include <iterator>

namespace onefold::io {

using std::chrono::sys_days, std::chrono::days, std::chrono::year_month_day;

IsoWeek iso_week_of(sys_days date) {
  const auto weekday = static_cast<int>(std::chrono::weekday(date).iso_encoding());
  const sys_days thursday = date + days(4 - weekday);
  const auto year = year_month_day(thursday).year();
  const sys_days first(year / std::chrono::January / 1);
  return {static_cast<int>(year), static_cast<int>((thursday - first).count()) / 7 + 1};
}

std::optional<CalendarSpan> find_span(std::string_view name) {
  constexpr std::string_view names[] = {"year", "quarter", "month",  "week",
                                        "day",  "hour",    "minute", "second"};
  const auto* const found = std::ranges::find(names, name);
  if (found == std::end(names)) return {};
  return static_cast<CalendarSpan>(found - std::begin(names));
}

DateParts truncated(DateParts parts, CalendarSpan span) {
  const auto [year, month] = std::pair(parts.date.year(), parts.date.month());
  const sys_days date(parts.date);
  switch (span) {
    case CalendarSpan::year:
      return {.date = year / std::chrono::January / 1};
    case CalendarSpan::quarter:
      return {.date =
                  year / std::chrono::month(static_cast<unsigned>(3 * quarter_of(month) - 2)) / 1};
    case CalendarSpan::month:
      return {.date = year / month / 1};
    case CalendarSpan::week: {
      const auto weekday = static_cast<int>(std::chrono::weekday(date).iso_encoding());
      return {.date = date - days(weekday - 1)};
    }
    case CalendarSpan::day:
      return {.date = parts.date};
    case CalendarSpan::hour:
      parts.clock.minute = 0;
      [[fallthrough]];
    case CalendarSpan::minute:
      parts.clock.second = 0;
      [[fallthrough]];
    case CalendarSpan::second:
      parts.clock.ns = 0;
  }
  parts.timestamp = true;
  return parts;
}

}  // namespace onefold::io
