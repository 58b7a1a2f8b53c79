#include "onefold/io/expression_values.hpp"

#include <algorithm>
#include <cmath>

#include "onefold/error.hpp"
#include "onefold/io/expression.hpp"
#include "onefold/io/number.hpp"

namespace onefold::io {
namespace {

constexpr Int128 beyond_rests = Int128{1} << 116;  // the rests of smaller integers have 62 bits
constexpr int64_t digits_at_once = 1'000'000'000'000'000'000;  // 10^18

// The number of significant digits of a number.
int64_t digits_in(const std::vector<DecimalTerm>& terms) {
  const auto first = static_cast<int64_t>(std::to_string(terms.front().magnitude).size());
  return first + terms.front().exponent - terms.back().exponent;
}

// Returns the decimal of at most 15 digits that an f64 of 2^53 or more stands for, if it is below
// 2^116.
std::optional<Int128> short_decimal(double x) {
  if (!(std::fabs(x) >= 0x1p53 && std::fabs(x) < 0x1p116)) return {};
  const std::string text = text_of_number(x);
  std::vector<DecimalTerm> terms;
  append_terms({text.data(), text.data() + text.size()}, 0, false, terms);
  return digits_in(terms) <= 15 ? integer_of(terms) : std::nullopt;
}

}  // namespace

void Values::resize(Size n) {
  null.resize(n);
  kind == Kind::text ? texts.resize(n) : numbers.resize(n);
}

std::optional<Int128> Values::integer(Size row) const {
  const double x = number(row);
  const int64_t more = rest(row);
  if (more == rounded || more == beyond || !(std::fabs(x) < 0x1p116) || x != std::floor(x)) {
    return {};
  }
  return static_cast<Int128>(x) + more;
}

bool Values::is_beyond_f64(Size row, bool decimals) const {
  if (!is_long(row)) return false;
  const std::optional<Int128> exact = integer(row);
  return !decimals || !exact || short_decimal(number(row)) != exact;
}

std::string Values::digits(Size row) const {
  const std::optional<Int128> exact = is_beyond_f64(row, true) ? integer(row) : std::nullopt;
  return exact ? digits_of(*exact) : text_of_number(number(row));
}

void Values::set_rest(Size row, int64_t rest) {
  if (rests.empty() && rest == 0) return;
  rests.resize(null.size());
  rests[row] = rest;
}

void Values::set_pointed(Size row) {
  pointed.resize(null.size());
  pointed[row] = 1;
}

bool Values::set_integer(Size row, Int128 integer) {
  if (integer >= beyond_rests || integer <= -beyond_rests) return false;
  numbers[row] = static_cast<double>(integer);
  set_rest(row, static_cast<int64_t>(integer - static_cast<Int128>(numbers[row])));
  return true;
}

void Values::copy(const Values& from, Size row) {
  null[row] = from.is_null(row);
  if (kind == Kind::text) {
    texts[row] = from.text(row);
    return;
  }
  numbers[row] = from.number(row);
  set_rest(row, from.rest(row));
  if (from.is_pointed(row)) set_pointed(row);
}

void Values::negate(Size row) {
  numbers[row] = -numbers[row];
  if (is_long(row) && rests[row] != beyond) rests[row] = -rests[row];
}

void Values::add_rests(bool decimals, std::span<const DecimalTerm> terms,
                       const std::function<std::optional<Size>(Size place)>& row) {
  for (Size i = 0; decimals && i < numbers.size(); ++i) {
    if (const auto integer = short_decimal(numbers[i])) set_integer(i, *integer);
  }
  for (auto next = terms.begin(); next != terms.end();) {
    const auto first = next;
    while (next != terms.end() && next->place == first->place) ++next;
    const std::optional<Size> i = row(first->place);
    if (!i) continue;
    const std::span<const DecimalTerm> all(first, next);
    const bool fraction = std::ranges::any_of(all, [](const auto& t) { return t.exponent < 0; });
    const std::optional<Int128> integer = integer_of(all);
    if (integer && set_integer(*i, *integer)) continue;
    set_rest(*i, fraction || is_pointed(*i) ? rounded : beyond);
  }
}

std::optional<Int128> integer_of(std::span<const DecimalTerm> terms) {
  Int128 sum = 0;
  for (const DecimalTerm& t : terms) {
    auto term = static_cast<Int128>(t.magnitude);
    for (int k = t.exponent; k > 0 && term < beyond_rests; --k) term *= 10;
    for (int k = t.exponent; k < 0; ++k) {
      if (term % 10 != 0) return {};
      term /= 10;
    }
    sum += t.negative ? -term : term;
    if (sum >= beyond_rests || sum <= -beyond_rests) return {};
  }
  return sum;
}

void append_terms_of(Int128 integer, Size place, std::vector<DecimalTerm>& terms) {
  const bool negative = integer < 0;
  int32_t exponent = 0;
  for (Int128 left = negative ? -integer : integer; left != 0; left /= digits_at_once) {
    const auto magnitude = static_cast<uint64_t>(left % digits_at_once);
    if (magnitude != 0) terms.push_back({place, magnitude, exponent, negative});
    exponent += 18;
  }
}

std::string digits_of(Int128 integer) {
  std::string text;
  for (Int128 left = integer < 0 ? -integer : integer; left != 0 || text.empty(); left /= 10) {
    text += static_cast<char>('0' + static_cast<int>(left % 10));
  }
  if (integer < 0) text += '-';
  std::ranges::reverse(text);
  return text;
}

std::optional<std::string> read_constant(const std::string& digits, bool f64, Values& to) {
  to = {.null = {0}, .constant = true, .whole = true};
  to.numbers = {0};
  const char *const begin = digits.data(), *const end = begin + digits.size(), *stop = nullptr;
  const NumberError e = parse_number(begin, end, true, to.numbers[0], stop);
  const bool inexact = e == NumberError::inexact;
  if ((e != NumberError::none && !inexact) || stop != end) return " is not a number";
  if (inexact && f64) {
    return " is an integer that f64 cannot hold; pass it by name, like an array: "
           "expr(\"x + k\", x=x, k=" +
           digits + ")";
  }
  if (f64) return {};
  std::vector<DecimalTerm> terms;
  append_terms({begin, end}, 0, false, terms);
  if (terms.empty()) return {};
  const std::string as_text = "; compare the column with the text \"" + digits + "\"";
  const std::optional<Int128> integer = integer_of(terms);
  const double size = std::fabs(to.numbers[0]);
  if (inexact && !integer) return " is an integer of 2^116 or more that f64 cannot hold" + as_text;
  if (integer) to.set_integer(0, *integer);
  to.scientific = !inexact;
  const bool fraction = terms.back().exponent < 0;
  if (!integer && (digits_in(terms) > 17 || (fraction && size >= 0x1p53))) {
    return " has more digits than f64 holds" + as_text;
  }
  return {};
}

std::partial_ordering order_of_numbers(const Values& a, const Values& b, Size row, bool decimals) {
  const std::partial_ordering by_f64 = a.number(row) <=> b.number(row);
  if (by_f64 != 0) return by_f64;
  if (a.rest(row) == Values::beyond || b.rest(row) == Values::beyond) {
    const Values& one = a.rest(row) == Values::beyond ? a : b;
    throw Error(ErrorCode::out_of_range,
                one.digits(row) +
                    " is an integer of 2^116 or more, too large to compare exactly with a number; "
                    "compare with a quoted number, as in id > \"9007...\"");
  }
  if (decimals && !(a.whole && b.whole)) return by_f64;
  const auto rest = [&](const Values& v) {
    return v.rest(row) == Values::rounded ? 0 : v.rest(row);
  };
  return rest(a) <=> rest(b);
}

}  // namespace onefold::io
