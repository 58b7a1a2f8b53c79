// Dates, times and durations as text.
//
//   date       2024-05-31
//   timestamp  2024-05-31 12:30:59.25, or with T; behind it a zone that is taken off: Z, UTC, GMT,
//              +02, +0200 or +02:00, also behind a blank
//   time       12:30:59.25, hours of at most 11 digits
//   duration   3 days 12:30:59.25, as pandas writes it; or 250us, in s, ms, us or ns
//   unit       nanoseconds, since 1970 of dates and timestamps
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "onefold/core/base.hpp"

namespace onefold::io {

enum class TimeKind : uint8_t { date, timestamp, time, duration };
constexpr const char* name_of(TimeKind kind) {
  constexpr const char* names[] = {"date", "timestamp", "time", "duration"};
  return names[static_cast<int>(kind)];
}

struct Time {
  TimeKind kind = TimeKind::date;
  bool zoned = false;  // a timestamp of UTC
  Int128 ns = 0;
};

// A time of day, such as 12:30:59.25.
struct Clock {
  int64_t hour = 0, minute = 0, second = 0, ns = 0;
};
// A date or timestamp, part by part, as it is spelt: its zone is not taken off.
struct DateParts {
  std::chrono::year_month_day date = {};
  bool timestamp = false, zoned = false;
  Clock clock = {};  // its second may be a leap second, 60
  bool east = false;
  Clock offset = {};  // of the zone, east or west of UTC
};
std::optional<DateParts> parse_date(std::string_view text);
// Returns a text that parse_date reads, with the offset of its zone.
std::string text_of(const DateParts& parts);

// Returns the timestamp at these nanoseconds since 1970; nothing beyond the years 0 to 9999.
std::optional<DateParts> timestamp_at(Int128 ns);

// Parses a date, time or duration; nothing if it is none.
std::optional<Time> parse_time(std::string_view text);
// Returns 13:05:59.25.
std::string text_of_clock(const Clock& clock);
// Returns the time that these parts spell; its zone is taken off. Their second is at most 59.
Time time_of(const DateParts& parts);
// Returns a text that parse_time reads, with as few digits behind the point as possible.
std::string text_of(const Time& time);

// Returns the kind of a column with both kinds: timestamp for dates and timestamps, duration for
// times and durations. Nothing: they cannot be mixed.
std::optional<TimeKind> common(TimeKind a, TimeKind b);

// Whether a text looks like a date or a time of day in some notation, also one that is none:
// 2024-1-5, 31/02/2024, 15.02.2024, 1:05 PM. Their order by bytes is not that of time.
bool looks_like_time(std::string_view text);

// Whether a type's name, as a text or Arrow spells it, means a column of times.
bool is_time_type(std::string_view type);

}  // namespace onefold::io
