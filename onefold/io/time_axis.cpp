#include "onefold/io/time_axis.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "onefold/io/table_fields.hpp"

namespace onefold::io {
namespace {

struct Unit {
  std::string_view names;  // each between blanks
  long double micros, per_micro;
};
constexpr Unit known_units[] = {{" days day d ", 86400e6L, 1},
                                {" hours hour hr hrs h ", 3600e6L, 1},
                                {" minutes minute min mins ", 60e6L, 1},
                                {" seconds second sec secs s ", 1e6L, 1},
                                {" milliseconds millisecond msec msecs ms ", 1e3L, 1},
                                {" microseconds microsecond us ", 1, 1},
                                {" nanoseconds nanosecond ns ", 1, 1e3L}};
constexpr int64_t micros_of_minute = 60'000'000, micros_of_day = 1440 * micros_of_minute;

// Takes a number of at most `most` digits from the front of a text.
bool take(std::string_view& text, std::size_t most, int& number) {
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + std::min(text.size(), most), number);
  if (error != std::errc() || number < 0 || text[0] == '-') return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}
bool take(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return true;
}

// Takes the blanks at the front of a text. Returns their number.
std::size_t take_blanks(std::string_view& text) {
  const std::size_t n = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(n);
  return n;
}

// Takes a number of two digits.
bool take_two(std::string_view& text, int& number) {
  const std::size_t before = text.size();
  return take(text, 2, number) && before - text.size() == 2;
}

// Takes the time zone behind a date: nothing, Z, UTC, GMT or an offset such as +02, +02:00 or
// -0630. Returns how many minutes it is east of UTC.
std::optional<int> take_zone(std::string_view zone) {
  if (zone.empty() || zone == "Z" || zone == "UTC" || zone == "GMT") return 0;
  const bool west = zone[0] == '-';
  int hours = 0, minutes = 0;
  if ((!take(zone, '+') && !take(zone, '-')) || !take_two(zone, hours)) return {};
  take(zone, ':');
  if (!zone.empty() && !take_two(zone, minutes)) return {};
  if (!zone.empty() || hours > 18 || minutes > 59) return {};
  return (hours * 60 + minutes) * (west ? -1 : 1);
}

// Whether a text behind a date is an offset by the CF conventions (section 4.4: +5 is 5 hours, +530
// 5 hours and 30 minutes) that cftime, and so netCDF4, ignores or misreads: one without two digits.
bool is_short_offset(std::string_view zone) {
  const auto digits = std::ranges::count_if(zone, [](char c) { return c >= '0' && c <= '9'; });
  return !zone.empty() && (zone[0] == '+' || zone[0] == '-') && (digits == 1 || digits == 3) &&
         zone.find_first_not_of("0123456789:", 1) == zone.npos;
}

// Takes the time of day behind a date, such as 12:30:00.5. Returns its microseconds, or nothing if
// it is wrong.
//   plain   false if cftime may ignore it: two blanks stand in front, or it has no minutes
//   throws  a std::string: it is finer than a microsecond, and cftime cuts the rest
std::optional<int64_t> take_clock(std::string_view& text, bool& plain) {
  int clock[3] = {}, fraction = 0;
  const std::size_t blanks = take_blanks(text);
  plain = blanks < 2;
  if ((blanks == 0 && !take(text, 'T')) || !take(text, 2, clock[0])) return 0;
  int k = 1;
  for (; k < 3 && take(text, ':'); ++k) {
    if (!take(text, 2, clock[k])) return {};
  }
  plain &= k > 1;
  if (take(text, '.')) {
    std::string digits(text.substr(0, text.find_first_not_of("0123456789")));
    text.remove_prefix(digits.size());
    digits.resize(std::max<std::size_t>(6, digits.size()), '0');
    if (digits.find_first_not_of('0', 6) != digits.npos)
      throw std::string(
          "the time of day in its units is finer than a microsecond, which is not supported");
    std::from_chars(digits.data(), digits.data() + 6, fraction);
    if (k < 3 && fraction != 0) return {};
  }
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 59) return {};
  return (clock[0] * 60 + clock[1]) * micros_of_minute + clock[2] * int64_t{1'000'000} + fraction;
}

struct WrittenDate {
  int year = 0, month = 0, day = 0;  // 0: not given
};
std::optional<WrittenDate> take_date(std::string_view& text) {
  WrittenDate date;
  if (!take(text, 4, date.year)) return {};
  if (take(text, '-') && (!take(text, 2, date.month) || date.month < 1)) return {};
  if (date.month > 0 && take(text, '-') && (!take(text, 2, date.day) || date.day < 1)) return {};
  return date.month <= 12 && date.day <= 31 ? std::optional(date) : std::nullopt;
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Days from 1 March of year 0 of years that begin then, so that a leap day is the last one.
int64_t day_of_march_year(int month, int day) { return (153 * ((month + 9) % 12) + 2) / 5 + day; }

}  // namespace

std::optional<TimeAxis> TimeAxis::parse(const std::string& units, const std::string& calendar) {
  std::string text = units;
  std::ranges::replace(text, '\t', ' ');
  const std::size_t since = text.find(" since ");
  if (since == text.npos) return {};
  TimeAxis axis;
  const std::string name = " " + std::string(trim(text.substr(0, since))) + " ";
  const Unit* const unit = std::ranges::find_if(
      known_units, [&](const Unit& u) { return u.names.find(name) != u.names.npos; });
  if (unit == std::end(known_units))
    throw "its units are " + units +
        "; only days, hours, minutes, seconds and fractions of seconds are supported";
  axis.unit_ = unit->micros;
  axis.per_micro_ = unit->per_micro;
  constexpr std::pair<std::string_view, Calendar> names[] = {
      {"", Calendar::standard},          {"standard", Calendar::standard},
      {"gregorian", Calendar::standard}, {"proleptic_gregorian", Calendar::gregorian},
      {"julian", Calendar::julian},      {"noleap", Calendar::days_365},
      {"365_day", Calendar::days_365},   {"all_leap", Calendar::days_366},
      {"366_day", Calendar::days_366},   {"360_day", Calendar::days_360}};
  const auto* const found =
      std::ranges::find(names, calendar, &std::pair<std::string_view, Calendar>::first);
  if (found == std::end(names)) throw "its calendar is " + calendar + ", which is not supported";
  axis.calendar_ = found->second;
  std::string_view rest = trim(std::string_view(text).substr(since + 7));
  const auto wrong = "its units are " + units + ", which contain no valid date";
  const std::optional<WrittenDate> date = take_date(rest);
  if (!date || date->day == 0) throw wrong;
  axis.day_ = axis.day_number(date->year, date->month, date->day);
  const int after = date->month % 12 + 1;  // in noleap, 29 February is a day of March
  if (axis.day_ >= axis.day_number(date->year + (after == 1 ? 1 : 0), after, 1)) throw wrong;
  bool plain = true;
  const std::optional<int64_t> micros = take_clock(rest, plain);
  if (!micros) throw wrong;
  plain &= take_blanks(rest) < 2;
  const std::optional<int> minutes_east = take_zone(rest);
  if (!minutes_east && is_short_offset(rest)) {
    throw "its units are " + units +
        ", and programs read this offset from UTC in different ways; spell it with two digits for "
        "hours and for minutes, such as +05:00";
  }
  if (!minutes_east) throw wrong;
  if (!plain && (*micros != 0 || *minutes_east != 0)) {
    throw "its units are " + units +
        ", and programs read this time of day in different ways; write it with minutes and with "
        "one blank in front, as in 2000-01-01 12:00";
  }
  axis.micros_ = *micros - *minutes_east * micros_of_minute;
  return axis;
}

int64_t TimeAxis::day_number(int64_t year, int month, int day) const {
  constexpr int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  switch (calendar_) {
    case Calendar::days_360:
      return 360 * year + 30 * (month - 1) + day;
    case Calendar::days_365:
      return 365 * year + before[month - 1] + day;
    case Calendar::days_366:
      return 366 * year + before[month - 1] + (month > 2 ? 1 : 0) + day;
    default:
      break;
  }
  const bool julian = calendar_ == Calendar::julian ||
                      (calendar_ == Calendar::standard &&
                       (year * 12 + month) * 31 + day < (1582 * 12 + 10) * 31 + 15);
  const int64_t march_year = month > 2 ? year : year - 1;
  const int64_t days = 365 * march_year + floor_div(march_year, 4) + day_of_march_year(month, day);
  // 1 March of year 0 of Julius is 2 days before that of Gregory.
  return julian ? days - 2 : days - floor_div(march_year, 100) + floor_div(march_year, 400);
}

long double TimeAxis::in_units(int64_t day) const {
  const auto micros = static_cast<long double>((day - day_) * micros_of_day - micros_);
  return micros / unit_ * per_micro_;
}

std::optional<TimeAxis::Date> TimeAxis::date_of(long double time) const {
  const long double micros = time / per_micro_ * unit_ + static_cast<long double>(micros_);
  const long double days = micros / static_cast<long double>(micros_of_day);
  constexpr long double most = 3.65e6L;
  if (!(std::fabs(days + static_cast<long double>(day_)) < most)) return {};
  const int64_t day = day_ + static_cast<int64_t>(std::floor(days));
  int64_t year = floor_div(day, 365);
  while (day_number(year, 1, 1) > day) --year;
  while (day_number(year + 1, 1, 1) <= day) ++year;
  int month = 1;
  while (month < 12 && day_number(year, month + 1, 1) <= day) ++month;
  // The day of 1582-10-15 is 10 days later than its number within the month says.
  const int64_t within = day - day_number(year, month, 1);
  const bool cut = calendar_ == Calendar::standard && year == 1582 && month == 10;
  return Date{year, month, within + 1 + (cut && within >= 4 ? 10 : 0)};
}

std::optional<TimeAxis::Span> TimeAxis::span_of(std::string_view text) const {
  const std::optional<WrittenDate> date = take_date(text);
  if (!date || !text.empty()) return {};
  const auto [year, month, day] = *date;
  const int first = std::max(month, 1);
  const int64_t begin = day_number(year, first, std::max(day, 1));
  const int64_t next_month =
      first == 12 || month == 0 ? day_number(year + 1, 1, 1) : day_number(year, first + 1, 1);
  if (day > 0 && begin >= next_month) return {};  // 31 April
  return Span{in_units(begin), in_units(day > 0 ? begin + 1 : next_month)};
}

}  // namespace onefold::io
