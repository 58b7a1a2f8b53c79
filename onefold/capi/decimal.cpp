#include "onefold/capi/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "onefold/error.hpp"

namespace onefold::capi {
namespace {

[[noreturn]] void refuse_text(std::string_view text) {
  throw Error(ErrorCode::bad_option, "state_add_decimal: \"" + std::string(text.substr(0, 60)) +
                                         "\" is not a decimal number such as -12.50");
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the digits at the beginning of a text.
std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

SpeltDecimal decimal_of(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const double sign = negative ? -1 : 1;
  if (is_word(rest, "nan")) return {std::numeric_limits<double>::quiet_NaN()};
  if (is_word(rest, "inf") || is_word(rest, "infinity")) {
    return {sign * std::numeric_limits<double>::infinity()};
  }
  const std::string_view number = rest;
  std::string digits(take_digits(rest));
  int64_t exponent = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::string_view fraction = take_digits(rest);
    digits += fraction;
    exponent -= static_cast<int64_t>(fraction.size());
  }
  if (digits.empty()) refuse_text(text);
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(rest.size() > 1 && rest[1] == '+' ? 2 : 1);
    int more = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), more);
    if (error != std::errc()) refuse_text(text);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    exponent += more;
  }
  if (!rest.empty()) refuse_text(text);
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (!digits.empty() && digits.back() == '0') digits.pop_back(), ++exponent;
  if (digits.empty()) return {sign * 0.0};

  SpeltDecimal d;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), d.near);
  if (error == std::errc::result_out_of_range) {
    const bool large = static_cast<int64_t>(digits.size()) + exponent > 0;
    if (large) {
      throw Error(ErrorCode::out_of_range, "state_add_decimal: " + std::string(text.substr(0, 60)) +
                                               " is beyond the range of doubles");
    }
    d.near = 0;
  }
  d.near *= sign;
  constexpr std::size_t of_term = 18;
  uint64_t magnitude = 0;
  const auto value_of = [](std::string_view some) {
    uint64_t v = 0;
    for (const char c : some) v = 10 * v + static_cast<uint64_t>(c - '0');
    return v;
  };
  if (digits.size() <= of_term) magnitude = value_of(digits);
  if (magnitude != 0 && is_short_decimal(magnitude, exponent)) return d;
  const std::string_view all = digits;
  for (std::size_t to = all.size(); to > 0; exponent += static_cast<int64_t>(of_term)) {
    const std::size_t from = to > of_term ? to - of_term : 0;
    const uint64_t part = value_of(all.substr(from, to - from));
    const auto place = static_cast<int32_t>(std::clamp<int64_t>(exponent, -100'000, 100'000));
    if (part != 0) d.terms.push_back({0, part, place, negative});
    to = from;
  }
  return d;
}

}  // namespace onefold::capi
