// When the rows of a table were: dates, times and durations in nanoseconds; or numbers, such as
// seconds since an event, in units of 10^-9.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "onefold/io/time_text.hpp"

namespace onefold::io {

struct RowTime {
  Int128 at = 0;
  bool number = false;                     // else a time
  TimeKind kind = TimeKind::date;          // of times
  bool zoned = false;                      // of timestamps
  bool goes_with(const RowTime& o) const;  // whether the two have an order
};
// Parses a time or a number of at most 9 decimals, below 10^18; nothing: it is neither.
std::optional<RowTime> parse_row_time(std::string_view text);

// A span of time, above 0.
struct TimeSpan {
  Int128 length = 0;
  bool number = false;
};
// Parses "7D", "12h", "30min", "2.5s", "250ms", or a number for times that are numbers.
//   throws  bad_option
TimeSpan parse_span(const std::string& option, const std::string& text);

}  // namespace onefold::io
