#include "onefold/io/date_format.hpp"

#include <algorithm>
#include <array>

#include "onefold/error.hpp"
#include "onefold/io/number.hpp"
#include "onefold/io/text_cursor.hpp"

namespace onefold::io {
namespace {

constexpr std::string_view month_names[] = {"january",   "february", "march",    "april",
                                            "may",       "june",     "july",     "august",
                                            "september", "october",  "november", "december"};
constexpr std::string_view weekday_names[] = {"monday", "tuesday",  "wednesday", "thursday",
                                              "friday", "saturday", "sunday"};
constexpr std::string_view date_letters = "Yymdejba", clock_letters = "HIMSfp";

[[noreturn]] void refuse_pattern(std::string_view pattern, const std::string& why) {
  throw Error(ErrorCode::bad_option,
              "format " + quote({pattern.data(), pattern.data() + pattern.size()}) + ": " + why);
}

// What the directives of a text say.
struct Found {
  int64_t year = 1970, month = 1, day = 1, day_of_year = 0, weekday = 0;
  int64_t half = -1;  // 1: pm
  Int128 epoch_ns = 0;
  Clock clock = {};
  bool zoned = false, east = true;
  Clock offset = {};
};

// Reads a name in any case, in full or by its first three letters; sets its number, from 1.
template <std::size_t n>
bool read_name(TextCursor& p, const std::string_view (&names)[n], int64_t& number) {
  const std::string_view text = p.rest();
  const auto is_letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  const auto end =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin());
  for (std::size_t k = 0; k < n; ++k) {
    if (end != 3 && end != names[k].size()) continue;
    const bool same = std::equal(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end),
                                 names[k].begin(), [](char a, char b) { return (a | 32) == b; });
    if (!same) continue;
    number = static_cast<int64_t>(k) + 1;
    return p.take(text.substr(0, end));
  }
  return false;
}

bool read_half(TextCursor& p, int64_t& half) {
  constexpr std::string_view words[] = {"a.m.", "p.m.", "A.M.", "P.M.", "am",
                                        "pm",   "AM",   "PM",   "Am",   "Pm"};
  for (std::size_t k = 0; k < std::size(words); ++k) {
    if (!p.take(words[k])) continue;
    half = static_cast<int64_t>(k % 2);
    return true;
  }
  return false;
}

// Reads a count of units of 10^-digits seconds since 1970, with a point or without, as nanoseconds.
bool read_epoch(TextCursor& p, int digits, Int128& ns) {
  const bool negative = p.take("-");
  const std::string_view text = p.rest();
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (end == 0 || end > 21) return false;
  Int128 whole = 0;
  for (const char c : text.substr(0, end)) whole = whole * 10 + (c - '0');
  p.take(text.substr(0, end));
  for (int k = digits; k < 9; ++k) whole *= 10;
  int64_t fraction = 0;
  if (!p.fraction(fraction)) return false;
  for (int k = 0; k < digits; ++k) {
    if (fraction % 10 != 0) return false;  // finer than a nanosecond
    fraction /= 10;
  }
  ns = negative ? -(whole + fraction) : whole + fraction;
  return true;
}

bool read_part(TextCursor& p, char what, std::size_t least, int epoch_digits, Found& f) {
  const auto within = [&](int64_t& value, std::size_t most, int64_t from, int64_t to) {
    return p.digits(least, most, value) && value >= from && value <= to;
  };
  switch (what) {
    case 'Y':
      return p.digits(4, 4, f.year);
    case 'y':
      if (!p.digits(2, 2, f.year)) return false;
      f.year += f.year < 69 ? 2000 : 1900;
      return true;
    case 'm':
      return within(f.month, 2, 1, 12);
    case 'e':
      p.blanks();
      [[fallthrough]];
    case 'd':
      return within(f.day, 2, 1, 31);
    case 'j':
      return within(f.day_of_year, 3, 1, 366);
    case 'b':
      return read_name(p, month_names, f.month);
    case 'a':
      return read_name(p, weekday_names, f.weekday);
    case 'H':
      return within(f.clock.hour, 2, 0, 23);
    case 'I':
      return within(f.clock.hour, 2, 1, 12);
    case 'M':
      return within(f.clock.minute, 2, 0, 59);
    case 'S':
      return within(f.clock.second, 2, 0, 59);
    case 'f': {
      const std::string_view before = p.rest();
      if (!p.digits(1, 9, f.clock.ns)) return false;
      for (std::size_t n = before.size() - p.rest().size(); n < 9; ++n) f.clock.ns *= 10;
      return true;
    }
    case 'p':
      return read_half(p, f.half);
    case 'z':
      f.zoned = true;
      return p.zone(f.east, f.offset);
    case 'Z':
      f.zoned = true;
      return p.take("UTC") || p.take("GMT") || p.take("Z");
    default:
      return read_epoch(p, epoch_digits, f.epoch_ns);
  }
}

}  // namespace

DateFormat::DateFormat(std::string_view pattern) : pattern_(pattern) {
  constexpr std::pair<std::string_view, int> epochs[] = {
      {"epoch", 0}, {"%s", 0}, {"epoch_ms", 3}, {"%Q", 3}, {"epoch_us", 6}, {"epoch_ns", 9}};
  for (const auto& [word, digits] : epochs) {
    if (pattern != word) continue;
    epoch_digits_ = digits;
    kind_ = TimeKind::timestamp;
    steps_ = {{.what = 's'}};
    return;
  }
  constexpr std::pair<char, std::string_view> shorts[] = {
      {'F', "%Y-%m-%d"}, {'D', "%m/%d/%y"}, {'T', "%H:%M:%S"}, {'R', "%H:%M"}};
  std::string full;
  for (std::size_t k = 0; k < pattern.size(); ++k) {
    const bool directive = pattern[k] == '%' && k + 1 < pattern.size();
    const auto* const known = std::ranges::find(shorts, directive ? pattern[k + 1] : '\0',
                                                &std::pair<char, std::string_view>::first);
    if (known != std::end(shorts)) {
      full += known->second;
      ++k;
      continue;
    }
    full += pattern[k];
    if (directive) full += pattern[++k];
  }
  for (std::size_t k = 0; k < full.size(); ++k) {
    if (full[k] != '%') {
      const bool blank = full[k] == ' ' || full[k] == '\t';
      if (!blank || steps_.empty() || steps_.back().literal != ' ') {
        steps_.push_back({.literal = blank ? ' ' : full[k]});
      }
      continue;
    }
    if (++k == full.size()) refuse_pattern(pattern_, "it ends in %; for a percent sign write %%");
    const char what = full[k] == 'B' ? 'b' : full[k] == 'A' ? 'a' : full[k];
    if (what == '%') {
      steps_.push_back({.literal = '%'});
    } else if (std::string_view("YymdejbaHIMSfpzZ").find(what) == std::string_view::npos) {
      refuse_pattern(pattern_,
                     std::string("there is no %") + full[k] +
                         "; use %Y %y %m %d %b %H %I %p %M %S %f %z, or %s or epoch_ms alone");
    } else {
      steps_.push_back({.what = what});
    }
  }
  // A number that follows another at once has no end of its own, so both have all their digits.
  const auto is_number = [](const Step& s) {
    return std::string_view("YymdejHIMSf").find(s.what) != std::string_view::npos && s.what != 0;
  };
  for (std::size_t k = 0; k + 1 < steps_.size(); ++k) {
    if (!is_number(steps_[k]) || !is_number(steps_[k + 1])) continue;
    if (steps_[k].what == 'f')
      refuse_pattern(pattern_, "%f is directly followed by a number; put a separator between them");
    steps_[k].least = steps_[k].what == 'j' ? 3 : 2;
    if (steps_[k + 1].what != 'f') steps_[k + 1].least = steps_[k + 1].what == 'j' ? 3 : 2;
  }
  check();
}

bool DateFormat::has(char what) const {
  return std::ranges::find(steps_, what, &Step::what) != steps_.end();
}

void DateFormat::check() {
  const auto any = [&](std::string_view list) {
    return std::ranges::any_of(list, [&](char what) { return has(what); });
  };
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    for (std::size_t l = k + 1; l < steps_.size(); ++l) {
      if (steps_[k].what == 0 || steps_[k].what != steps_[l].what) continue;
      refuse_pattern(pattern_, std::string("it has %") + steps_[k].what + " twice; leave one out");
    }
  }
  const bool date = any(date_letters), clock = any(clock_letters);
  if (!date && !clock) {
    refuse_pattern(pattern_, "it has no date and no time; write a pattern such as %d/%m/%Y");
  }
  const auto refuse_both = [&](char a, char b) {
    if (has(a) && has(b)) {
      refuse_pattern(pattern_,
                     std::string("%") + a + " and %" + b + " mean the same; leave one out");
    }
  };
  refuse_both('Y', 'y');
  refuse_both('m', 'b');
  refuse_both('d', 'e');
  for (const char other : {'m', 'b', 'd', 'e'}) refuse_both('j', other);
  if (has('H') && (has('I') || has('p'))) {
    refuse_pattern(pattern_,
                   "%p (am or pm) cannot be used with %H, the hour from 0 to 23; write %I");
  }
  if (has('I') != has('p')) refuse_pattern(pattern_, "%I needs %p (am or pm), and %p needs %I");
  if (date && !has('Y') && !has('y')) refuse_pattern(pattern_, "it has no year; add %Y or %y");
  if ((has('d') || has('e')) && !has('m') && !has('b'))
    refuse_pattern(pattern_, "it has no month; add %m");
  if (clock && !has('H') && !has('I'))
    refuse_pattern(pattern_, "it has no hour; add %H, or %I with %p");
  if ((has('S') && !has('M')) || (has('f') && !has('S'))) {
    refuse_pattern(pattern_, "it has no minute or second; add %M or %S");
  }
  if ((has('z') || has('Z')) && (!date || !clock)) {
    refuse_pattern(pattern_, "%z (time zone) needs both a date and a time; add what is missing");
  }
  kind_ = !clock ? TimeKind::date : date ? TimeKind::timestamp : TimeKind::time;
}

std::optional<std::string> DateFormat::standard_text(std::string_view text) const {
  const std::optional<DateParts> parts = parse(text);
  if (!parts) return {};
  return kind_ == TimeKind::time ? text_of_clock(parts->clock) : text_of(*parts);
}

std::optional<DateParts> DateFormat::parse(std::string_view text) const {
  if (text.size() > 100) return {};
  TextCursor p(text);
  Found f;
  for (const Step& step : steps_) {
    const bool ok = step.what != 0        ? read_part(p, step.what, step.least, epoch_digits_, f)
                    : step.literal == ' ' ? p.blanks()
                                          : p.take({&step.literal, 1});
    if (!ok) return {};
  }
  if (!p.ended()) return {};
  if (is_epoch()) {
    std::optional<DateParts> parts = timestamp_at(f.epoch_ns);
    if (parts) parts->zoned = true;
    return parts;
  }
  if (f.half >= 0) f.clock.hour = f.clock.hour % 12 + 12 * f.half;
  if (kind_ == TimeKind::time) return DateParts{.clock = f.clock};
  using namespace std::chrono;
  DateParts parts{.date = {year(static_cast<int>(f.year)), month(static_cast<unsigned>(f.month)),
                           day(static_cast<unsigned>(f.day))},
                  .timestamp = kind_ == TimeKind::timestamp,
                  .zoned = f.zoned,
                  .clock = f.clock,
                  .east = f.east,
                  .offset = f.offset};
  if (!parts.date.ok()) return {};
  if (f.day_of_year > 0) {
    parts.date = sys_days(parts.date) + days(f.day_of_year - 1);
    if (static_cast<int>(parts.date.year()) != f.year) return {};
  }
  if (f.weekday > 0 && weekday(sys_days(parts.date)).iso_encoding() != f.weekday) return {};
  return parts;
}

std::vector<ColumnDates> parse_date_formats(std::string_view option) {
  const auto trim = [](std::string_view s) {
    const std::size_t from = std::min(s.find_first_not_of(" \t"), s.size());
    return s.substr(from, s.find_last_not_of(" \t") + 1 - from);
  };
  // Splits at a mark outside of quotes.
  const auto split = [](std::string_view& rest, char mark) {
    bool quoted = false;
    std::size_t k = 0;
    for (; k < rest.size() && (quoted || rest[k] != mark); ++k) quoted ^= rest[k] == '"';
    const std::string_view part = rest.substr(0, k);
    rest.remove_prefix(std::min(k + 1, rest.size()));
    return part;
  };
  std::vector<ColumnDates> list;
  while (!option.empty()) {
    std::string_view pattern = trim(split(option, ';'));
    if (pattern.empty()) continue;
    std::string_view rest = pattern;
    const std::string_view columns = split(rest, '=');
    const bool named = columns.size() < pattern.size() &&
                       (columns.starts_with('"') || columns.find('%') == columns.npos);
    if (named) pattern = trim(rest);
    try {
      DateFormat format(pattern);
      if (!named && format.is_epoch()) {
        refuse_pattern(pattern,
                       "it could match any column of numbers; name the column, as in seen=" +
                           format.pattern());
      }
      const std::string name(named ? trim(columns) : "");
      if (named && std::ranges::find(list, name, &ColumnDates::columns) != list.end()) {
        refuse_pattern(pattern, "column " + name + " was given two patterns; pass only one");
      }
      list.push_back({name, std::move(format)});
    } catch (const Error& e) {
      throw Error(e.code(), std::string("--date-") + e.what());  // --date-format "%d/%m": ...
    }
  }
  if (list.empty()) {
    throw Error(ErrorCode::bad_option,
                "--date-format \"" + std::string(option) +
                    "\" is not a pattern such as %d/%m/%Y, or sold=%d/%m/%Y");
  }
  return list;
}

namespace {

// Whether a text is at all like 31/05/2024, 31 May 2024 or May 31, 2024: few others need a closer
// look.
bool may_be_date(std::string_view s) {
  if (s.size() < 6 || s.size() > 40) return false;
  const auto is_mark = [&](std::size_t k) { return std::string_view("/.- ").find(s[k]) != s.npos; };
  const bool marked =
      s[0] >= '0' && s[0] <= '9' ? is_mark(1) || is_mark(2) || is_mark(4) : s[3] == ' ';
  return marked && std::ranges::count_if(s, [](char c) { return c >= '0' && c <= '9'; }) >= 4;
}

}  // namespace

std::string date_hint_for(std::string_view field) {
  // A day and a month may stand in two orders, so both patterns that fit are named.
  constexpr const char* of_dates[] = {"%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d-%m-%Y", "%m-%d-%Y",
                                      "%Y/%m/%d", "%Y.%m.%d", "%d/%m/%y", "%m/%d/%y", "%d.%m.%y",
                                      "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%b %d, %Y"};
  constexpr const char* of_clocks[] = {"",          " %H:%M",       " %H:%M:%S",   " %H:%M:%S.%f",
                                       " %I:%M %p", " %I:%M:%S %p", " %I:%M:%S%p", "T%H:%M:%S",
                                       " %I:%M%p"};
  constexpr const char* of_zones[] = {"", "%z", " %z", " %Z"};
  if (!may_be_date(field)) return {};
  static const std::vector<DateFormat> formats = [&] {
    std::vector<DateFormat> list;
    for (const char* const clock : of_clocks) {
      for (const char* const zone : of_zones) {
        if (*clock == 0 && *zone != 0) continue;
        for (const char* const date : of_dates) list.emplace_back(std::string(date) + clock + zone);
      }
    }
    return list;
  }();
  std::vector<std::string> found;
  for (const DateFormat& format : formats) {
    if (format.fits(field)) found.push_back(format.pattern());
  }
  if (found.empty()) return {};
  const auto option = [](const std::string& pattern) {
    return "--date-format \"" + pattern + "\"";
  };
  if (found.size() == 1) return "; if it is a date, pass " + option(found[0]);
  return "; if it is a date, pass " + option(found[0]) + " if the day comes first, " +
         option(found[1]) + " if the month does";
}

std::string epoch_hint_for(std::string_view field) {
  if (field.find_first_not_of("0123456789") != field.npos) return {};
  // From 1973 to 2286 seconds have 9 or 10 digits.
  constexpr std::pair<std::size_t, std::pair<const char*, const char*>> units[] = {
      {10, {"seconds", "epoch"}},
      {13, {"milliseconds", "epoch_ms"}},
      {16, {"microseconds", "epoch_us"}},
      {19, {"nanoseconds", "epoch_ns"}}};
  for (const auto& [digits, unit] : units) {
    if (field.size() != digits && field.size() + 1 != digits) continue;
    return std::string("; if it counts ") + unit.first +
           " since 1970, pass --date-format COLUMN=" + unit.second;
  }
  return {};
}

std::string no_date(const DateFormat& format, std::string_view text) {
  return quote({text.data(), text.data() + text.size()}) + " is not a date by --date-format " +
         quote({format.pattern().data(), format.pattern().data() + format.pattern().size()}) +
         date_hint_for(text) + epoch_hint_for(text);
}

}  // namespace onefold::io
