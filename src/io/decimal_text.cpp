#include "io/decimal_text.hpp"

#include <fmt/format.h>

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
  if (x < 0) out += '-';
  const fmt::format_int whole(d.magnitude / unit);
  out.append(whole.data(), whole.size());
  if (d.exponent == 0) return true;
  const fmt::format_int fraction(d.magnitude % unit);
  out += '.';
  out.append(static_cast<std::size_t>(-d.exponent) - fraction.size(), '0');
  out.append(fraction.data(), fraction.size());
  return true;
}

}  // namespace onefold::io
