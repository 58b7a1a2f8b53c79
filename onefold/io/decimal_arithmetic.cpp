#include "onefold/io/decimal_arithmetic.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "onefold/core/exact/decimal.hpp"
#include "onefold/io/number.hpp"

namespace onefold::io {
namespace {

// A decimal number digits * 10^exponent.
struct Decimal {
  Int128 digits = 0;
  int exponent = 0;

  Decimal operator-() const { return {-digits, exponent}; }
  void drop_zeros() {
    while (digits != 0 && digits % 10 == 0) digits /= 10, ++exponent;
  }
};
constexpr Int128 most_digits = 1'000'000'000'000'000;  // 10^15

Int128 power_of_ten(int k) { return static_cast<Int128>(decimal::power_of_ten(k)); }

// Returns the decimal of at most 15 digits whose nearest f64 is x, if there is exactly one. Of
// subnormal x there may be several, so it returns none.
std::optional<Decimal> decimal_of(double x) {
  if (x == 0) return Decimal{};
  Decimal d;
  if (decimal::Short s; decimal::find_short(std::fabs(x), s)) {
    d = {static_cast<Int128>(s.magnitude), s.exponent};
  } else {
    if (!std::isnormal(x)) return {};
    // 1.25e+30, with the fewest digits
    char text[32];
    const char *const begin = text, *const end =
                                        std::to_chars(text, text + sizeof text, std::fabs(x),
                                                      std::chars_format::scientific)
                                            .ptr;
    const char* const e = std::find(begin, end, 'e');
    constexpr auto most_length = 16;  // 15 digits and a point
    if (e - begin > most_length) return {};
    std::from_chars(e + 1 + (e[1] == '+' ? 1 : 0), end, d.exponent);
    for (const char* p = begin; p != e; ++p) {
      if (*p == '.') d.exponent -= static_cast<int>(e - p) - 1;
      if (*p != '.') d.digits = d.digits * 10 + (*p - '0');
    }
  }
  d.drop_zeros();
  if (d.digits >= most_digits) return {};
  return x < 0 ? -d : d;
}

// Returns the f64 nearest to a decimal of at most 15 digits; none if there are more, or if it is
// beyond f64.
std::optional<double> nearest(Decimal d) {
  d.drop_zeros();
  if (d.digits >= most_digits || d.digits <= -most_digits) return {};
  const auto digits = static_cast<int64_t>(d.digits);
  if (std::abs(d.exponent) <= decimal::most_exponent) {
    const double power = decimal::power_of_ten(std::abs(d.exponent));
    const auto whole = static_cast<double>(digits);
    return d.exponent < 0 ? whole / power : whole * power;
  }
  const std::string text = std::to_string(digits) + "e" + std::to_string(d.exponent);
  const char* stop = nullptr;
  double value = 0;
  const NumberError e = parse_number(text.data(), text.data() + text.size(), false, value, stop);
  return e == NumberError::none ? std::optional(value) : std::nullopt;
}

// Returns a + b, of which one has at most 15 digits and the other at most 16; none if the sum has
// more than 15 digits and does not fit.
std::optional<Decimal> sum(Decimal a, Decimal b) {
  if (a.digits == 0) return b;
  if (b.digits == 0) return a;
  a.drop_zeros(), b.drop_zeros();
  if (a.exponent < b.exponent) std::swap(a, b);
  const int up = a.exponent - b.exponent;
  if (up > decimal::most_exponent) return {};
  return Decimal{a.digits * power_of_ten(up) + b.digits, b.exponent};
}

// Returns a - b * trunc(a / b), b not 0.
Decimal rest_of(const Decimal& a, const Decimal& b) {
  if (a.exponent < b.exponent) {
    const int up = b.exponent - a.exponent;
    if (up > decimal::most_exponent) return a;  // b is larger
    return {a.digits % (b.digits * power_of_ten(up)), a.exponent};
  }
  // Multiplies by 10^up modulo b, by the binary digits of `up`.
  Int128 rest = a.digits % b.digits, power = 10 % b.digits;
  for (int up = a.exponent - b.exponent; up > 0; up >>= 1) {
    if ((up & 1) != 0) rest = rest * power % b.digits;
    power = power * power % b.digits;
  }
  return {rest, b.exponent};
}

}  // namespace

std::optional<double> of_decimals(Arithmetic op, double x, double y) {
  const auto p = decimal_of(x), q = decimal_of(y);
  if (!p || !q) return {};
  const Decimal &a = *p, &b = *q;
  const auto near = [](const std::optional<Decimal>& d) { return d ? nearest(*d) : std::nullopt; };
  if (op == Arithmetic::multiply) return nearest({a.digits * b.digits, a.exponent + b.exponent});
  if (op == Arithmetic::add) return near(sum(a, b));
  if (op == Arithmetic::subtract) return near(sum(a, -b));
  if (b.digits == 0) return {};
  const Decimal rest = rest_of(a, b);
  if (op == Arithmetic::remainder) return nearest(rest);
  const bool below = rest.digits != 0 && (rest.digits < 0) != (b.digits < 0);
  if (!below) return near(sum(a, -rest));
  // If rest + b does not fit, |a| is much smaller than |b|, so the multiple of b below a is -b.
  const auto down = sum(rest, b);
  return near(down ? sum(a, -*down) : std::optional(-b));
}

}  // namespace onefold::io
