#include "io/decimal_text.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "onefold/exact/decimal.hpp"

namespace onefold::io {

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
