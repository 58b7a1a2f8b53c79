#include "cli/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "onefold/engine/as_double.hpp"
#include "onefold/io/decimal_text.hpp"

namespace onefold::cli {
namespace {

template <class... Args>
std::string chars(Args... args) {
  std::array<char, 64> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), args...).ptr};
}

double parse(const std::string& text) {
  double v = 0;
  std::from_chars(text.data(), text.data() + text.size(), v);
  return v;
}

// Does what shortest_text does, for a 16-bit float, which std::to_chars does not know. Computing in
// double is exact: the decimals that read back to x end at the midpoints to its neighbours, which
// have one bit more than x. A decimal of 5 digits is never within an ulp of double of such a
// midpoint, unless it equals it.
template <class T>
std::string shortest16(T x) {
  const double v = as_double(x);
  if (v == 0) return "0";
  // After the largest number, the next one would be 2^top.
  const auto next = static_cast<uint16_t>(x.bits + 1);
  const double above = decode(T{next}).finite() ? as_double(T{next})
                                                : std::ldexp(1.0, float_format(dtype_of<T>).top);
  const double low = (as_double(T{static_cast<uint16_t>(x.bits - 1)}) + v) / 2;
  const double high = (v + above) / 2;
  const bool even = x.bits % 2 == 0;
  for (int digits = 1;; ++digits) {
    const std::string nearest = chars(v, std::chars_format::scientific, digits - 1);
    const std::size_t e = nearest.find('e');
    std::string figures = nearest.substr(0, e);
    std::erase(figures, '.');
    const int shift = std::stoi(nearest.substr(e + 1)) - digits + 1;
    // Above a power of two the gap is twice that below it, so only the second nearest may fit.
    for (int d = std::stoi(figures), last = d + 1; d <= last; ++d) {
      const double w = parse(std::to_string(d) + "e" + std::to_string(shift));
      if (even ? w < low || w > high : w <= low || w >= high) continue;
      const std::string scientific = chars(w, std::chars_format::scientific);
      if (!io::is_fixed(scientific)) return scientific;
      return chars(v == std::floor(v) ? v : w, std::chars_format::fixed);
    }
  }
}

// Returns a number with at most `precision` significant digits.
std::string rounded(double x, int precision) {
  if (x == 0) return std::signbit(x) ? "-0" : "0";
  std::string text = chars(x, std::chars_format::scientific, precision - 1);
  const std::size_t e = text.find('e');
  if (io::is_fixed(text)) {
    const int decimals = precision - 1 - std::stoi(text.substr(e + 1));
    // Digits before the point that were rounded away become zeros.
    if (decimals < 0) return chars(parse(text), std::chars_format::fixed);
    text = chars(x, std::chars_format::fixed, decimals);
  }
  // Removes trailing zeros, as in 1.500e+20 and 0.250.
  const std::size_t end = std::min(text.find('e'), text.size());
  if (text.find('.') >= end) return text;
  std::size_t last = end;
  while (text[last - 1] == '0') --last;
  if (text[last - 1] == '.') --last;
  return text.erase(last, end - last);
}

template <class T>
std::string text_of(T x, int precision) {
  if constexpr (std::same_as<T, Bool8>) {
    return x.byte != 0 ? "true" : "false";
  } else if constexpr (is_floating(dtype_of<T>)) {
    const Decoded d = decode(x);
    if (d.nan) return "nan";
    if (d.infinite) return d.negative ? "-inf" : "inf";
    if (precision > 0) {
      if constexpr (sizeof(T) == 2)
        return rounded(as_double(x), precision);
      else
        return rounded(static_cast<double>(x), precision);
    }
    if constexpr (sizeof(T) == 2) {
      return (d.negative ? "-" : "") + shortest16(T{static_cast<uint16_t>(x.bits & 0x7fff)});
    } else {
      return io::shortest_text(x);
    }
  } else {
    return chars(x);
  }
}

std::string text_of(const Value& value, int precision) {
  return visit(value.dtype, [&]<class T>() {
    return text_of(bit_cast<T>(static_cast<bits_of<T>>(value.bits)), precision);
  });
}

}  // namespace

void append_text(std::string& out, const Value& value, int precision) {
  // Well within the limits of is_fixed() fmt writes the same text, in half the time.
  if (value.dtype == DType::f64 && value.status == Status::ok && precision == 0) {
    const auto x = bit_cast<double>(static_cast<uint64_t>(value.bits));
    if (std::fabs(x) >= 1e-3 && std::fabs(x) < 1e15) {
      if (io::append_short_decimal(out, x)) return;
      char text[32];
      out.append(text, fmt::format_to(text, "{}", x));
      return;
    }
  }
  out += value.status == Status::ok ? text_of(value, precision) : name_of(value.status);
}

void append_json(std::string& out, const Value& value, int precision) {
  if (value.status != Status::ok) {
    fmt::format_to(std::back_inserter(out), "{{\"status\": \"{}\"}}", name_of(value.status));
    return;
  }
  const std::string text = text_of(value, precision);
  if (!is_floating(value.dtype)) {
    out += text;
  } else if (text == "nan") {
    out += "null";
  } else if (text.find('n') != text.npos) {  // inf
    out += '"' + text + '"';
  } else {
    out += text;
    if (text.find_first_of(".e") == text.npos) out += ".0";
  }
}

std::string bytes_text(double bytes) {
  if (bytes < 1000) return fmt::format("{:.0f} bytes", bytes);
  const char* const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (bytes /= 1000; bytes >= 999.5 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0, units[unit]);
}

}  // namespace onefold::cli
