#include "io/expression_functions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/number.hpp"
#include "onefold/error.hpp"
#include "onefold/exact/decimal.hpp"

namespace onefold::io {
namespace {

// A decimal number digits * 10^exponent, for an f64 that is nearest to a short decimal.
struct Decimal {
  Int128 digits = 0;
  int exponent = 0;
};
std::optional<Decimal> decimal_of(double x) {
  if (x == 0) return Decimal{};
  decimal::Short s;
  if (!decimal::find_short(std::fabs(x), s)) return {};
  decimal::drop_zeros(s, 0);
  if (static_cast<double>(s.magnitude) >= decimal::most_digits) return {};
  const auto digits = static_cast<Int128>(s.magnitude);
  return Decimal{x < 0 ? -digits : digits, s.exponent};
}
// Returns the f64 nearest to a decimal of at most 15 digits.
std::optional<double> nearest(Decimal d) {
  while (d.digits != 0 && d.digits % 10 == 0) d.digits /= 10, ++d.exponent;
  if (d.digits == 0) return 0.0;
  const Int128 most = 1000000000000000;
  if (d.digits >= most || d.digits <= -most || std::abs(d.exponent) > decimal::most_exponent) {
    return {};
  }
  const auto digits = static_cast<double>(static_cast<int64_t>(d.digits));
  const double power = decimal::power_of_ten(std::abs(d.exponent));
  return d.exponent < 0 ? digits / power : digits * power;
}
// Converts both to the smaller of their units.
bool align(Decimal& a, Decimal& b) {
  const auto lower = [](Decimal& high, int to) {
    if (high.digits == 0) high.exponent = to;
    if (high.exponent - to > decimal::most_exponent) return false;
    for (; high.exponent > to; --high.exponent) high.digits *= 10;
    return true;
  };
  const int to = b.digits == 0   ? a.exponent
                 : a.digits == 0 ? b.exponent
                                 : std::min(a.exponent, b.exponent);
  return lower(a, to) && lower(b, to);
}

bool is_whole(double x) { return std::fabs(x) < 0x1p53 && x == std::floor(x); }

enum class Op : uint8_t { add, subtract, multiply, remainder, bin };

double rounded(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::remainder:
      return std::fmod(a, b);
    case Op::bin:
      return std::floor(a / b) * b;
  }
  return 0;
}

std::optional<double> of_decimals(Op op, double x, double y) {
  const auto p = decimal_of(x), q = decimal_of(y);
  if (!p || !q) return {};
  Decimal a = *p, b = *q;
  if (op == Op::multiply) return nearest({a.digits * b.digits, a.exponent + b.exponent});
  if (!align(a, b)) return {};
  if (op == Op::add) return nearest({a.digits + b.digits, a.exponent});
  if (op == Op::subtract) return nearest({a.digits - b.digits, a.exponent});
  if (b.digits == 0) return {};
  const Int128 rest = a.digits % b.digits;
  if (op == Op::remainder) return nearest({rest, a.exponent});
  const bool below = rest != 0 && (rest < 0) != (b.digits < 0);
  return nearest({a.digits - rest - (below ? b.digits : 0), a.exponent});
}

template <Op op>
void compute(const Call& c, Size i) {
  const double a = c.of[0].number(i), b = c.of[1].number(i), r = rounded(op, a, b);
  const bool exact = is_whole(a) && is_whole(b) && is_whole(r);
  c.to.numbers[i] = exact || !c.decimals ? r : of_decimals(op, a, b).value_or(r);
}

template <class F>
void compare_numbers(const Call& c, Size i, F f) {
  c.to.numbers[i] = f(c.of[0].number(i), c.of[1].number(i)) ? 1 : 0;
}
template <class F>
void compare_texts(const Call& c, Size i, F f) {
  c.to.numbers[i] = f(c.of[0].text(i).compare(c.of[1].text(i)), 0) ? 1 : 0;
}

void is_in_numbers(const Call& c, Size i) {
  c.to.numbers[i] = 0;
  for (std::size_t k = 1; k < c.of.size(); ++k) {
    if (c.of[k].number(i) == c.of[0].number(i)) c.to.numbers[i] = 1;
  }
}
void is_in_texts(const Call& c, Size i) {
  c.to.numbers[i] = 0;
  for (std::size_t k = 1; k < c.of.size(); ++k) {
    if (c.of[k].text(i) == c.of[0].text(i)) c.to.numbers[i] = 1;
  }
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

void copy_value(const Values& from, Size i, Values& to) {
  to.null[i] = from.is_null(i);
  if (from.kind == Kind::text) {
    to.texts[i] = from.text(i);
  } else {
    to.numbers[i] = from.number(i);
  }
}
void first_value(const Call& c, Size i) {
  for (const Values& v : c.of) {
    copy_value(v, i, c.to);
    if (!v.is_null(i)) return;
  }
}
void choose_value(const Call& c, Size i) {
  const bool is = !c.of[0].is_null(i) && c.of[0].number(i) != 0;
  copy_value(c.of[is ? 1 : 2], i, c.to);
}

// A date such as 2024-05-31, perhaps with a time: T or a blank, 12:30 or 12:30:59.5, Z or +02:00.
struct Moment {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
};
std::optional<Moment> moment_of(std::string_view s) {
  const auto digits = [&](std::size_t at, std::size_t n, int& to) {
    if (s.size() < at + n) return false;
    const auto [stop, error] = std::from_chars(s.data() + at, s.data() + at + n, to);
    return error == std::errc() && stop == s.data() + at + n && s[at] != '-';
  };
  const auto is = [&](std::size_t at, std::string_view any) {
    return at < s.size() && any.find(s[at]) != any.npos;
  };
  Moment m;
  if (!digits(0, 4, m.year) || !is(4, "-") || !digits(5, 2, m.month) || !is(7, "-") ||
      !digits(8, 2, m.day)) {
    return {};
  }
  constexpr int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (m.year < 1 || m.month < 1 || m.month > 12 || m.day < 1) return {};
  const bool leap = m.year % 4 == 0 && (m.year % 100 != 0 || m.year % 400 == 0);
  if (m.day > lengths[m.month - 1] + (leap && m.month == 2 ? 1 : 0)) return {};
  if (s.size() == 10) return m;
  if (!is(10, "T ") || !digits(11, 2, m.hour) || !is(13, ":") || !digits(14, 2, m.minute)) {
    return {};
  }
  std::size_t at = 16;
  if (is(16, ":")) {
    int whole = 0;
    if (!digits(17, 2, whole)) return {};
    at = 19;
    if (is(19, ".")) at = std::min(s.find_first_not_of("0123456789", 20), s.size());
    const char* stop = nullptr;
    std::string number(s.substr(17, at - 17));
    if (parse_number(number.data(), number.data() + number.size(), false, m.second, stop) !=
        NumberError::none) {
      return {};
    }
  }
  if (m.hour > 23 || m.minute > 59 || !(m.second < 61)) return {};
  const std::string_view zone = s.substr(at);
  const bool offset = zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':';
  return zone.empty() || zone == "Z" || offset ? std::optional(m) : std::nullopt;
}

Moment moment(const Call& c, Size i) {
  if (const auto m = moment_of(c.of[0].text(i))) return *m;
  const std::string& text = c.of[0].text(i);
  throw Error(ErrorCode::bad_token, quote({text.data(), text.data() + text.size()}) +
                                        " is no date such as 2024-05-31, or 2024-05-31 12:30");
}
// Returns days since 1970-01-01: years begin in March, and 400 years have 146,097 days.
int days_of(const Moment& m) {
  const int year = m.year - (m.month <= 2 ? 1 : 0), of_era = year - year / 400 * 400;
  const int day = (153 * (m.month + (m.month > 2 ? -3 : 9)) + 2) / 5 + m.day - 1;
  return year / 400 * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719468;
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
  const char* const end = text.data() + text.size();
  double value = 0;
  const bool ok = !text.empty() && !is_separator(text[0]) &&
                  parse_number(text.data(), end, false, value, stop) == NumberError::none &&
                  stop == end;
  c.to.numbers[i] = value;
  c.to.null[i] = !ok;
}
#define NUMBER(expression) [](const Call& c, Size i) { c.to.numbers[i] = (expression); }
#define TEXT(expression) [](const Call& c, Size i) { c.to.texts[i] = (expression); }
#define COMPARISON(op)                                                                          \
  Function{#op, "nn", Kind::truth, false,                                                       \
           [](const Call& c, Size i) {                                                          \
             compare_numbers(c, i, [](double a, double b) { return a op b; });                  \
           }},                                                                                  \
      Function {                                                                                \
#op, "tt", Kind::truth, false,                                                              \
        [](const Call& c, Size i) { compare_texts(c, i, [](int a, int b) { return a op b; }); } \
  }

std::string changed(std::string text, bool (*is)(char)) {
  for (char& k : text) k = is(k) ? static_cast<char>(k ^ 0x20) : k;
  return text;
}

constexpr Kind n = Kind::number, b = Kind::truth, t = Kind::text;
const Function rows[] = {
    {"+", "nn", n, false, compute<Op::add>},
    {"-", "nn", n, false, compute<Op::subtract>},
    {"-", "n", n, false, NUMBER(-c.of[0].number(i))},
    {"*", "nn", n, false, compute<Op::multiply>},
    {"/", "nn", n, false, NUMBER(c.of[0].number(i) / c.of[1].number(i))},
    {"%", "nn", n, false, compute<Op::remainder>},
    COMPARISON(==),
    COMPARISON(!=),
    COMPARISON(<),
    COMPARISON(<=),
    COMPARISON(>),
    COMPARISON(>=),
    {"in", "nn+", b, false, is_in_numbers},
    {"in", "tt+", b, false, is_in_texts},
    {"and", "bb", b, true, [](const Call& c, Size i) { join_truths(c, i, 0); }},
    {"or", "bb", b, true, [](const Call& c, Size i) { join_truths(c, i, 1); }},
    {"not", "b", b, false, NUMBER(1 - c.of[0].number(i))},
    {"is null", "n", b, true, NUMBER(c.of[0].is_null(i))},
    {"is null", "t", b, true, NUMBER(c.of[0].is_null(i))},
    {"coalesce", "nn+", n, true, first_value},
    {"coalesce", "tt+", t, true, first_value},
    {"if", "bnn", n, true, choose_value},
    {"if", "btt", t, true, choose_value},
    {"abs", "n", n, false, NUMBER(std::fabs(c.of[0].number(i)))},
    {"floor", "n", n, false, NUMBER(std::floor(c.of[0].number(i)))},
    {"ceil", "n", n, false, NUMBER(std::ceil(c.of[0].number(i)))},
    {"round", "n", n, false, NUMBER(std::round(c.of[0].number(i)))},
    {"sqrt", "n", n, false, NUMBER(std::sqrt(c.of[0].number(i)))},
    {"bin", "nn", n, false, compute<Op::bin>},
    {"number", "t", n, false, number},
    {"text", "t", t, false, TEXT(c.of[0].text(i))},
    {"text", "n", t, false, TEXT(text_of_number(c.of[0].number(i)))},
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
    {"year", "t", n, false, NUMBER(moment(c, i).year)},
    {"month", "t", n, false, NUMBER(moment(c, i).month)},
    {"day", "t", n, false, NUMBER(moment(c, i).day)},
    {"hour", "t", n, false, NUMBER(moment(c, i).hour)},
    {"minute", "t", n, false, NUMBER(moment(c, i).minute)},
    {"second", "t", n, false, NUMBER(moment(c, i).second)},
    {"weekday", "t", n, false, NUMBER((days_of(moment(c, i)) % 7 + 10) % 7 + 1)},
    {"days", "t", n, false, NUMBER(days_of(moment(c, i)))},
};

#undef COMPARISON
#undef TEXT
#undef NUMBER

}  // namespace

std::span<const Function> functions() { return rows; }

std::string text_of_number(double number) {
  char text[32];
  if (number == 0) number = 0;  // so that -0 becomes 0
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

}  // namespace onefold::io
