// Axes of time, as the CF conventions have them: numbers of "days since 2000-01-01 12:00".
//
//   units      seconds, minutes, hours or days, and parts of seconds down to nanoseconds
//   calendars  standard (gregorian; days before 1582-10-15 are Julian), proleptic_gregorian,
//              julian, noleap (365_day), all_leap (366_day), 360_day
//   times      12:30, 12:30:00 or 12:30:00.5, down to microseconds
//   offsets    +05, +05:30 or +0530
//   refused    offsets such as +5 or +5:30, and a time of day other than 0 that has no minutes or
//              stands behind two blanks: UDUNITS reads them, cftime ignores them
//   source     CF conventions 1.11, section 4.4
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace onefold::io {

class TimeAxis {
 public:
  // Returns nothing if the units are no times since a date.
  //   throws  a std::string: units or calendar are of a kind that is not known
  static std::optional<TimeAxis> parse(const std::string& units, const std::string& calendar);

  // A year, a month or a day, "2024", "2024-05" or "2024-05-31", from its begin to its end.
  struct Span {
    long double begin, end;  // in the units of the axis
  };
  std::optional<Span> span_of(std::string_view date) const;

  struct Date {
    int64_t year;
    int month;
    int64_t day;
  };
  // Returns nothing for NaN, and beyond 10,000 years from 0.
  std::optional<Date> date_of(long double time) const;

 private:
  enum class Calendar : uint8_t { standard, gregorian, julian, days_365, days_366, days_360 };
  int64_t day_number(int64_t year, int month, int day) const;
  long double in_units(int64_t day) const;

  Calendar calendar_ = Calendar::standard;
  int64_t day_ = 0, micros_ = 0;  // the date since which the axis counts; microseconds of its day
  long double unit_ = 1;          // in microseconds, if it is one microsecond or longer
  long double per_micro_ = 1;     // units in a microsecond, if it is shorter
};

}  // namespace onefold::io
