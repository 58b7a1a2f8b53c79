#include "onefold/io/expression_functions.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <compare>
#include <cstring>

#include "onefold/error.hpp"
#include "onefold/io/calendar.hpp"
#include "onefold/io/date_format.hpp"
#include "onefold/io/decimal_arithmetic.hpp"
#include "onefold/io/decimal_text.hpp"
#include "onefold/io/number.hpp"
#include "onefold/io/table_fields.hpp"
#include "onefold/io/time_text.hpp"
#include "onefold/io/zoned_time.hpp"

namespace onefold::io {
namespace {

bool is_whole(double x) { return std::fabs(x) < 0x1p53 && x == std::floor(x); }

double rounded(Arithmetic op, double a, double b) {
  switch (op) {
    case Arithmetic::add:
      return a + b;
    case Arithmetic::subtract:
      return a - b;
    case Arithmetic::multiply:
      return a * b;
    case Arithmetic::remainder:
      return std::fmod(a, b);
    case Arithmetic::bin:
      return std::floor(a / b) * b;
  }
  return 0;
}

// Returns the result for two integers; none if it has 127 bits or more, or if b is 0 and divides.
std::optional<Int128> of_integers(Arithmetic op, Int128 a, Int128 b) {
  Int128 r = 0;
  const bool divides = op == Arithmetic::remainder || op == Arithmetic::bin;
  if (divides && b == 0) return {};
  const auto beyond = [&] {
    switch (op) {
      case Arithmetic::add:
        return __builtin_add_overflow(a, b, &r);
      case Arithmetic::subtract:
        return __builtin_sub_overflow(a, b, &r);
      case Arithmetic::multiply:
        return __builtin_mul_overflow(a, b, &r);
      case Arithmetic::remainder:
        r = a % b;
        return false;
      case Arithmetic::bin:
        r = a - a % b;
        if (a % b != 0 && (a < 0) != (b < 0)) r -= b;
        return false;
    }
    return true;
  };
  if (beyond()) return {};
  return r;
}

template <Arithmetic op>
void compute(const Call& c, Size i) {
  const Values &x = c.of[0], &y = c.of[1];
  const double a = x.number(i), b = y.number(i);
  double r = rounded(op, a, b);
  c.to.numbers[i] = r;
  if (!c.to.whole && !c.decimals) return check_long(c, i);
  const bool plain = x.rest(i) == 0 && y.rest(i) == 0;
  if (plain && is_whole(a) && is_whole(b) && is_whole(r)) return;
  // An exact zero has the sign that f64 would give it.
  const bool as_left = op == Arithmetic::remainder || op == Arithmetic::bin;
  const auto zero = [&] { return std::copysign(0.0, as_left ? a : r); };
  if (x.is_pointed(i) || y.is_pointed(i)) c.to.set_pointed(i);
  if (const auto p = x.integer(i), q = y.integer(i); c.to.whole && p && q) {
    const std::optional<Int128> exact = of_integers(op, *p, *q);
    if (exact && *exact == 0) return static_cast<void>(c.to.numbers[i] = zero());
    if (exact && c.to.set_integer(i, *exact)) return;
  }
  check_long(c, i);
  const std::optional<double> exact = c.decimals ? of_decimals(op, a, b) : std::nullopt;
  if (exact) c.to.numbers[i] = *exact == 0 ? zero() : *exact;
  if (c.to.whole && !(exact && plain)) c.to.set_rest(i, Values::rounded);
}

// Compares two texts that are numbers by their exact values.
std::partial_ordering order_of_digits(const Call& c, Size i, std::size_t other) {
  const std::string &a = c.of[0].text(i), &b = c.of[other].text(i);
  const auto value_of = [](const std::string& text) {
    double value = 0;
    const char* stop = nullptr;
    parse_number(text.data(), text.data() + text.size(), false, value, stop);
    return value;
  };
  const std::partial_ordering by_f64 = value_of(a) <=> value_of(b);
  return by_f64 == 0 ? std::partial_ordering(compare_numbers(a, b) <=> 0) : by_f64;
}

// Compares two texts: as times if both are, else by their bytes.
//   equality  only whether they are equal counts: a time equals no other text
//   throws    bad_token: they have no order
std::partial_ordering order_of_texts(const Call& c, Size i, std::size_t other, bool equality) {
  const std::string &a = c.of[0].text(i), &b = c.of[other].text(i);
  const int bytes = a.compare(b);
  if (bytes == 0) return std::partial_ordering::equivalent;
  const std::optional<Time> x = parse_time(a), y = parse_time(b);
  if (x && y && common(x->kind, y->kind) && x->zoned == y->zoned) return x->ns <=> y->ns;
  if (!x != !y && equality) return std::partial_ordering::unordered;
  // Dates such as 31/05/2024 have no order by their bytes.
  const auto is_date = [](const std::string& text) { return !date_hint_for(text).empty(); };
  if (!x && !y && (equality || !is_date(a) || !is_date(b))) return bytes <=> 0;
  const auto named = [](const std::string& text, const std::optional<Time>& time) {
    return quote_text(text) + (!time         ? " (not a time)"
                               : time->zoned ? " (a time with a zone)"
                                             : std::string(" (a ") + name_of(time->kind) + ")");
  };
  throw Error(ErrorCode::bad_token,
              named(a, x) + " and " + named(b, y) +
                  " cannot be compared; write a time such as 2024-05-31 "
                  "12:30, with Z at its end if the column has time zones" +
                  date_hint_for(is_date(a) ? a : b) +
                  "; if one of them means a missing value, pass it to --missing");
}

bool equals_number(const Call& c, Size i, std::size_t k) {
  return order_of_numbers(c.of[0], c.of[k], i, c.decimals) == 0;
}
bool equals_digits(const Call& c, Size i, std::size_t k) { return order_of_digits(c, i, k) == 0; }
bool equals_text(const Call& c, Size i, std::size_t k) {
  return order_of_texts(c, i, k, true) == 0;
}
template <bool (*equals)(const Call&, Size, std::size_t)>
void is_in(const Call& c, Size i) {
  bool found = false;
  for (std::size_t k = 1; k < c.of.size() && !found; ++k) found = equals(c, i, k);
  c.to.numbers[i] = found ? 1 : 0;
}

// Joins truth values with nulls: `decides` (0 for and, 1 for or) wins over null.
void join_truths(const Call& c, Size i, double decides) {
  bool null = false;
  for (const Values& v : c.of) {
    if (!v.is_null(i) && v.number(i) == decides) {
      c.to.numbers[i] = decides;
      return;
    }
    null |= v.is_null(i);
  }
  c.to.numbers[i] = 1 - decides;
  c.to.null[i] = null;
}

void first_value(const Call& c, Size i) {
  for (const Values& v : c.of) {
    c.to.copy(v, i);
    if (!v.is_null(i)) return;
  }
}
void choose_value(const Call& c, Size i) {
  const bool is = !c.of[0].is_null(i) && c.of[0].number(i) != 0;
  c.to.copy(c.of[is ? 1 : 2], i);
}

void negate(const Call& c, Size i) {
  c.to.copy(c.of[0], i);
  c.to.negate(i);
}
void magnitude(const Call& c, Size i) {
  c.to.copy(c.of[0], i);
  if (std::signbit(c.to.numbers[i])) c.to.negate(i);
}
// Applies a function that leaves integers as they are.
template <double (*function)(double)>
void round_number(const Call& c, Size i) {
  c.to.copy(c.of[0], i);
  if (!c.of[0].is_long(i)) c.to.numbers[i] = function(c.to.numbers[i]);
}

DateParts parts_of(const Call& c, Size i, std::size_t k = 0) {
  const std::string& text = c.of[k].text(i);
  if (const auto parts = parse_date(text)) return *parts;
  throw Error(ErrorCode::bad_token,
              quote_text(text) + " is not a date; write it as 2024-05-31 or 2024-05-31 12:30" +
                  date_hint_for(text) + epoch_hint_for(text));
}
void truncate(const Call& c, Size i) {
  const std::string& name = c.of[0].text(i);
  const std::optional<CalendarSpan> span = find_span(name);
  if (!span) {
    throw Error(ErrorCode::bad_token,
                quote_text(name) + " is not a unit of time that date_trunc knows; choose one of " +
                    std::string(span_names));
  }
  const DateParts begin = truncated(parts_of(c, i, 1), *span);
  if (static_cast<int>(begin.date.year()) < 0) {
    throw Error(ErrorCode::out_of_range,
                quote_text(c.of[1].text(i)) + " is in a week that begins before the year 0");
  }
  c.to.texts[i] = text_of(begin);
}
void parse_by_format(const Call& c, Size i) {
  const std::string &text = c.of[0].text(i), &pattern = c.of[1].text(i);
  thread_local std::optional<DateFormat> format;  // nearly always that of the row before
  if (!format || format->pattern() != pattern) format.emplace(pattern);
  std::optional<std::string> standard = format->standard_text(text);
  if (!standard) {
    throw Error(ErrorCode::bad_token,
                quote_text(text) + " does not match strptime's format " + quote_text(pattern));
  }
  c.to.texts[i] = *std::move(standard);
}
// Returns the seconds since 1970, rounded once.
double epoch_of(const DateParts& parts) {
  const Int128 ns = time_of(parts).ns;
  const Int128 size = ns < 0 ? -ns : ns;
  constexpr int64_t second = 1'000'000'000;
  std::string rest = std::to_string(static_cast<int64_t>(size % second) + second);
  rest[0] = '.';
  const std::string text =
      (ns < 0 ? "-" : "") + std::to_string(static_cast<int64_t>(size / second)) + rest;
  const char* stop = nullptr;
  double value = 0;
  parse_number(text.data(), text.data() + text.size(), false, value, stop);
  return value;
}
double second_of(const Clock& clock) {
  return static_cast<double>(clock.second * 1'000'000'000 + clock.ns) / 1e9;
}
double days_of(std::chrono::sys_days date) {
  return static_cast<double>(date.time_since_epoch().count());
}

bool is_ascii_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_ascii_lower(char c) { return c >= 'a' && c <= 'z'; }
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Returns the first characters of a text in UTF-8.
void left(const Call& c, Size i) {
  const std::string& text = c.of[0].text(i);
  double most = c.of[1].number(i);
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (!continues(text[end]) && !(most-- >= 1)) break;
  }
  c.to.texts[i] = text.substr(0, end);
}
void number(const Call& c, Size i) {
  const std::string& text = c.of[0].text(i);
  const char* stop = nullptr;
  const char *const begin = text.data(), *const end = begin + text.size();
  double value = 0;
  const bool starts = !text.empty() && !is_separator(text[0]);
  const NumberError e =
      starts ? parse_number(begin, end, true, value, stop) : NumberError::not_a_number;
  const bool is = (e == NumberError::none || e == NumberError::inexact) && stop == end;
  c.to.numbers[i] = value;
  c.to.null[i] = !is;
  if (!is || e == NumberError::none) return;
  std::vector<DecimalTerm> terms;
  append_terms({begin, end}, 0, false, terms);
  const std::optional<Int128> integer = integer_of(terms);
  if (integer && c.to.set_integer(i, *integer)) return;
  throw Error(ErrorCode::out_of_range, "number: " + quote_text(text) +
                                           " is an integer of 2^116 or more that f64 cannot hold");
}
#define NUMBER(expression) [](const Call& c, Size i) { c.to.numbers[i] = (expression); }
#define TEXT(expression) [](const Call& c, Size i) { c.to.texts[i] = (expression); }
#define COMPARISON(op)                                                                            \
  {#op,                                                                                           \
   "nn",                                                                                          \
   Kind::truth,                                                                                   \
   false,                                                                                         \
   NUMBER(order_of_numbers(c.of[0], c.of[1], i, c.decimals) op 0 ? 1 : 0),                        \
   true},                                                                                         \
      {#op, "dd", Kind::truth, false, NUMBER(order_of_digits(c, i, 1) op 0 ? 1 : 0)}, {           \
#op, "ss", Kind::truth, false, NUMBER(order_of_texts(c, i, 1, is_equality(#op)) op 0 ? 1 : 0) \
  }

constexpr bool is_equality(std::string_view op) { return op == "==" || op == "!="; }

std::string changed(std::string text, bool (*is)(char)) {
  for (char& k : text) k = is(k) ? static_cast<char>(k ^ 0x20) : k;
  return text;
}

constexpr Kind n = Kind::number, b = Kind::truth, t = Kind::text;
const Function function_rows[] = {
    {"+", "nn", n, false, compute<Arithmetic::add>, true},
    {"-", "nn", n, false, compute<Arithmetic::subtract>, true},
    {"-", "n", n, false, negate, true},
    {"*", "nn", n, false, compute<Arithmetic::multiply>, true},
    {"/", "nn", n, false, NUMBER(c.of[0].number(i) / c.of[1].number(i))},
    {"%", "nn", n, false, compute<Arithmetic::remainder>, true},
    COMPARISON(==),
    COMPARISON(!=),
    COMPARISON(<),
    COMPARISON(<=),
    COMPARISON(>),
    COMPARISON(>=),
    {"in", "nn+", b, false, is_in<equals_number>, true},
    {"in", "dd+", b, false, is_in<equals_digits>},
    {"in", "ss+", b, false, is_in<equals_text>},
    {"and", "bb", b, true, [](const Call& c, Size i) { join_truths(c, i, 0); }},
    {"or", "bb", b, true, [](const Call& c, Size i) { join_truths(c, i, 1); }},
    {"not", "b", b, false, NUMBER(1 - c.of[0].number(i))},
    {"is null", "n", b, true, NUMBER(c.of[0].is_null(i)), true},
    {"is null", "t", b, true, NUMBER(c.of[0].is_null(i))},
    {"coalesce", "nn+", n, true, first_value, true},
    {"coalesce", "tt+", t, true, first_value},
    {"if", "bnn", n, true, choose_value, true},
    {"if", "btt", t, true, choose_value},
    {"abs", "n", n, false, magnitude, true},
    {"floor", "n", n, false, round_number<std::floor>, true},
    {"ceil", "n", n, false, round_number<std::ceil>, true},
    {"round", "n", n, false, round_number<std::round>, true},
    {"sqrt", "n", n, false, NUMBER(std::sqrt(c.of[0].number(i)))},
    {"bin", "nn", n, false, compute<Arithmetic::bin>, true},
    {"number", "t", n, false, number},
    {"text", "t", t, false, TEXT(c.of[0].text(i))},
    {"text", "n", t, false, TEXT(c.of[0].digits(i)), true},
    {"lower", "t", t, false, TEXT(changed(c.of[0].text(i), is_ascii_upper))},
    {"upper", "t", t, false, TEXT(changed(c.of[0].text(i), is_ascii_lower))},
    {"left", "tn", t, false, left},
    {"length", "t", n, false,
     [](const Call& c, Size i) {
       const std::string& text = c.of[0].text(i);
       c.to.numbers[i] = static_cast<double>(
           text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues)));
     }},
    {"contains", "tt", b, false,
     NUMBER(c.of[0].text(i).find(c.of[1].text(i)) != std::string::npos)},
    {"starts_with", "tt", b, false, NUMBER(c.of[0].text(i).starts_with(c.of[1].text(i)))},
    {"ends_with", "tt", b, false, NUMBER(c.of[0].text(i).ends_with(c.of[1].text(i)))},
    {"year", "t", n, false, NUMBER(static_cast<int>(parts_of(c, i).date.year()))},
    {"month", "t", n, false, NUMBER(static_cast<unsigned>(parts_of(c, i).date.month()))},
    {"day", "t", n, false, NUMBER(static_cast<unsigned>(parts_of(c, i).date.day()))},
    {"hour", "t", n, false, NUMBER(static_cast<double>(parts_of(c, i).clock.hour))},
    {"minute", "t", n, false, NUMBER(static_cast<double>(parts_of(c, i).clock.minute))},
    {"second", "t", n, false, NUMBER(second_of(parts_of(c, i).clock))},
    {"weekday", "t", n, false,
     NUMBER(std::chrono::weekday(std::chrono::sys_days(parts_of(c, i).date)).iso_encoding())},
    {"days", "t", n, false, NUMBER(days_of(parts_of(c, i).date))},
    {"week", "t", n, false, NUMBER(iso_week_of(parts_of(c, i).date).week)},
    {"isoyear", "t", n, false, NUMBER(iso_week_of(parts_of(c, i).date).year)},
    {"quarter", "t", n, false, NUMBER(quarter_of(parts_of(c, i).date.month()))},
    {"date_trunc", "tt", t, false, truncate},
    {"strptime", "tt", t, false, parse_by_format},
    {"to_zone", "tt", t, false, TEXT(text_of(to_zone(parts_of(c, i), c.of[1].text(i))))},
    {"in_zone", "tt", t, false, TEXT(text_of(in_zone(parts_of(c, i), c.of[1].text(i))))},
    {"epoch", "t", n, false, NUMBER(epoch_of(parts_of(c, i)))},
};

#undef COMPARISON
#undef TEXT
#undef NUMBER

}  // namespace

std::span<const Function> functions() { return function_rows; }

void check_long(const Call& c, Size i) {
  for (const Values& v : c.of) {
    if (v.is_pointed(i) || !v.is_beyond_f64(i, c.decimals)) continue;
    throw Error(ErrorCode::out_of_range,
                c.name + " would round " + v.digits(i) + ", an integer that f64 cannot hold");
  }
}

std::string text_of_number(double number) {
  return shortest_text(number == 0 ? 0 : number);  // -0 becomes 0
}

}  // namespace onefold::io
