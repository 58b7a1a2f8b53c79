#include "onefold/io/decimal_text.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "onefold/core/exact/decimal.hpp"

namespace onefold::io {

namespace {

template <class... Args>
std::string chars(Args... args) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, args...).ptr};
}

}  // namespace

bool is_fixed(std::string_view scientific) {
  const std::size_t e = scientific.find('e');
  if (e == scientific.npos) return true;  // inf
  int exponent = 0;
  const bool negative = scientific[e + 1] == '-';
  std::from_chars(scientific.data() + e + 2, scientific.data() + scientific.size(), exponent);
  return negative ? exponent <= 4 : exponent < 16;
}

template <class F>
std::string shortest_text(F x) {
  if (std::isnan(x)) return "nan";
  if (x == 0) return std::signbit(x) ? "-0" : "0";
  // Well within these limits the form is clear, so digits are computed only once.
  if (std::fabs(x) >= F(1e-3) && std::fabs(x) < F(1e15)) return chars(x, std::chars_format::fixed);
  const std::string scientific = chars(x, std::chars_format::scientific);
  return is_fixed(scientific) ? chars(x, std::chars_format::fixed) : scientific;
}
template std::string shortest_text(float);
template std::string shortest_text(double);

bool append_short_decimal(std::string& out, double x) {
  decimal::Short d;
  if (!decimal::find_short(std::fabs(x), d)) return false;
  for (const auto& [zeros, power] : {std::pair{8, 100000000u}, {4, 10000u}, {2, 100u}, {1, 10u}}) {
    if (d.exponent > -zeros || d.magnitude % power != 0) continue;
    d.magnitude /= power;
    d.exponent += zeros;
  }
  uint64_t unit = 1;  // 10^-exponent
  for (int k = d.exponent; k < 0; ++k) unit *= 10;
  char text[64];
  char *at = text, *const end = text + sizeof text;
  if (x < 0) *at++ = '-';
  at = std::to_chars(at, end, d.magnitude / unit).ptr;
  if (d.exponent != 0) {
    // A 1 before the digits keeps their zeros; the point takes its place.
    char* const point = at;
    at = std::to_chars(point, end, d.magnitude % unit + unit).ptr;
    *point = '.';
  }
  out.append(text, static_cast<std::size_t>(at - text));
  return true;
}

}  // namespace onefold::io
