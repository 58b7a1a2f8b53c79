#include "onefold/io/time_text.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "onefold/error.hpp"
#include "onefold/io/text_cursor.hpp"

namespace onefold::io {
namespace {

constexpr int64_t second = 1'000'000'000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

Int128 ns_of(const Clock& c) {
  return static_cast<Int128>(c.hour) * hour + c.minute * minute + c.second * second + c.ns;
}

// Takes the digits at the begin of a text away, and returns how many.
std::size_t take_digits(std::string_view& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto end = std::ranges::find_if_not(text, is_digit);
  const auto n = static_cast<std::size_t>(end - text.begin());
  text.remove_prefix(n);
  return n;
}

}  // namespace

bool looks_like_time(std::string_view text) {
  const std::size_t first = take_digits(text);
  if (first == 0 || first > 5 || first == 3 || text.empty()) return false;
  const char mark = text[0];
  if (std::string_view("-/.:").find(mark) == std::string_view::npos) return false;
  text.remove_prefix(1);
  const std::size_t second = take_digits(text);
  const auto ends = [&] {
    return text.empty() || text[0] == ' ' || text[0] == 'T' || text[0] == 'Z' || text[0] == '+';
  };
  if (mark == ':') return first <= 2 && second == 2 && (ends() || text[0] == ':');
  if (second == 0 || second > 2 || text.empty() || text[0] != mark) return false;
  text.remove_prefix(1);
  const std::size_t third = take_digits(text);
  if (!ends()) return false;
  const bool year_first = first >= 4 && (third == 1 || third == 2),
             year_last = first <= 2 && (third == 4 || (third == 2 && mark == '/'));
  return year_first || year_last;
}

std::optional<DateParts> parse_date(std::string_view text) {
  TextCursor p(text);
  int64_t y = 0, m = 0, d = 0;
  if (!p.number(4, 4, y) || !p.take("-") || !p.number(2, 2, m) || !p.take("-") ||
      !p.number(2, 2, d)) {
    return {};
  }
  using namespace std::chrono;
  DateParts parts{.date = {year(static_cast<int>(y)), month(static_cast<unsigned>(m)),
                           std::chrono::day(static_cast<unsigned>(d))}};
  if (!parts.date.ok()) return {};
  if (p.ended()) return parts;
  parts.timestamp = true;
  if ((!p.take(" ") && !p.take("T")) || !p.clock(2, 23, 59, parts.clock)) return {};
  if (p.ended()) return parts;
  parts.zoned = true;
  p.take(" ");
  if (!p.zone(parts.east, parts.offset) || !p.ended()) return {};
  return parts;
}

namespace {

std::optional<Time> parse_duration(std::string_view text) {
  TextCursor p(text);
  const bool negative = p.take("-");
  Time time{.kind = TimeKind::time};
  Clock clock;
  // With at most 11 digits, the sum of 10^14 rows fits 128 bits.
  if (p.clock(11, 99'999'999'999, 59, clock) && p.ended()) {
    time.ns = negative ? -ns_of(clock) : ns_of(clock);
    return time;
  }
  time.kind = TimeKind::duration;
  p = TextCursor(text.substr(negative ? 1 : 0));
  int64_t n = 0;
  if (!p.number(1, 19, n)) return {};
  constexpr std::pair<std::string_view, int64_t> units[] = {
      {"s", second}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}};
  for (const auto& [name, ns] : units) {
    TextCursor rest = p;
    if (!rest.take(name) || !rest.ended()) continue;
    time.ns = static_cast<Int128>(negative ? -n : n) * ns;
    return time;
  }
  if (!p.take(" days") && !p.take(" day")) return {};
  // "-1 days +23:00:00": for pandas only the days are negative.
  clock = {};
  bool minus = negative;
  if (p.take(" ")) {
    if (p.take("+")) minus = false;
    if (!p.clock(2, 23, 59, clock)) return {};
  }
  if (!p.ended() || n > 999'999'999) return {};
  time.ns = static_cast<Int128>(negative ? -n : n) * day + (minus ? -ns_of(clock) : ns_of(clock));
  return time;
}

// Returns 12:30:59.25 for a number that is not negative.
std::string clock_text(Int128 ns) {
  const auto hours = static_cast<long long>(ns / hour);
  const auto rest = static_cast<long long>(ns % hour);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02lld:%02lld:%02lld.%09lld", hours, rest / minute,
                rest % minute / second, rest % second);
  std::string s = text.data();
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s;
}

// Returns 2024-05-31.
std::string date_text(const std::chrono::year_month_day& date) {
  const int year = static_cast<int>(date.year());
  const auto month = static_cast<unsigned>(date.month()),
             day_of = static_cast<unsigned>(date.day());
  std::string text(10, '-');
  if (year < 0 || year > 9999) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%04d-%02u-%02u", year, month, day_of);
    return digits.data();
  }
  const auto put = [&](std::size_t at, unsigned n) {
    text[at] = static_cast<char>('0' + n / 10);
    text[at + 1] = static_cast<char>('0' + n % 10);
  };
  put(0, static_cast<unsigned>(year) / 100);
  put(2, static_cast<unsigned>(year) % 100);
  put(5, month);
  put(8, day_of);
  return text;
}

}  // namespace

std::optional<Time> parse_time(std::string_view text) {
  if (text.size() < 2 || text.size() > 40) return {};
  if (text.size() < 10 || text[4] != '-') return parse_duration(text);
  const auto parts = parse_date(text);
  if (!parts) return {};
  return time_of(*parts);
}

Time time_of(const DateParts& parts) {
  const auto days = std::chrono::sys_days(parts.date).time_since_epoch().count();
  Time time{.kind = parts.timestamp ? TimeKind::timestamp : TimeKind::date,
            .zoned = parts.zoned,
            .ns = static_cast<Int128>(days) * day + ns_of(parts.clock)};
  if (time.zoned) time.ns -= parts.east ? ns_of(parts.offset) : -ns_of(parts.offset);
  return time;
}

std::optional<DateParts> timestamp_at(Int128 ns) {
  constexpr Int128 first = static_cast<Int128>(-719'528) * day,  // 0000-01-01
      end = static_cast<Int128>(2'932'897) * day;                // 10000-01-01
  if (ns < first || ns >= end) return {};
  const auto days_passed = static_cast<int>((ns - first) / day) - 719'528;
  const auto rest = static_cast<int64_t>((ns - first) % day);
  const std::chrono::sys_days date{std::chrono::days(days_passed)};
  return DateParts{.date = date,
                   .timestamp = true,
                   .clock = {rest / hour, rest / minute % 60, rest / second % 60, rest % second},
                   .east = true};
}

std::string text_of_clock(const Clock& clock) { return clock_text(ns_of(clock)); }

std::string text_of(const DateParts& parts) {
  DateParts local = parts;
  local.zoned = false;
  const std::string text = text_of(time_of(local));
  if (!parts.zoned) return text;
  const Clock& o = parts.offset;
  if (ns_of(o) == 0) return text + 'Z';
  // An offset is whole minutes, except before zones were laws.
  std::string offset = clock_text(ns_of(o));
  if (o.second == 0) offset.resize(5);
  return text + (parts.east ? '+' : '-') + offset;
}

std::string text_of(const Time& time) {
  if (time.kind == TimeKind::time || time.kind == TimeKind::duration) {
    const bool negative = time.ns < 0;
    const Int128 ns = negative ? -time.ns : time.ns;
    const std::string sign = negative ? "-" : "";
    if (time.kind == TimeKind::time) return sign + clock_text(ns);
    return sign + std::to_string(static_cast<long long>(ns / day)) + " days " +
           clock_text(ns % day);
  }
  const Int128 of_day = (time.ns % day + day) % day;
  using namespace std::chrono;
  const year_month_day date(sys_days(days(static_cast<int>((time.ns - of_day) / day))));
  if (date.year() < year(0) || date.year() > year(9999)) {
    throw Error(ErrorCode::out_of_range,
                "the time in UTC is outside the years 0 to 9999: it is in the year " +
                    std::to_string(static_cast<int>(date.year())));
  }
  const std::string text = date_text(date);
  if (time.kind == TimeKind::date) return text;
  return text + ' ' + clock_text(of_day) + (time.zoned ? "Z" : "");
}

std::optional<TimeKind> common(TimeKind a, TimeKind b) {
  if (a == b) return a;
  const auto of_calendar = [](TimeKind k) { return k <= TimeKind::timestamp; };
  if (of_calendar(a) != of_calendar(b)) return {};
  return std::max(a, b);
}

bool is_time_type(std::string_view type) {
  constexpr std::string_view arrow[] = {"date32", "date64",    "time32",
                                        "time64", "timestamp", "duration"};
  return type == "date" || type == "time" ||
         std::ranges::any_of(arrow, [&](std::string_view t) { return type.starts_with(t); });
}

}  // namespace onefold::io
