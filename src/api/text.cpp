// Numbers as text, both ways, for messages and options.
#include <charconv>
#include <cmath>
#include <string>

#include "onefold/array.hpp"
#include "onefold/correction.hpp"
#include "onefold/error.hpp"

namespace onefold {

std::string to_string(const Dims& dims) {
  std::string s = "(";
  for (int d = 0; d < std::min(dims.rank(), max_rank); ++d) {
    if (d > 0) s += ", ";
    s += std::to_string(dims[d]);
  }
  if (dims.rank() > max_rank) s += ", ...";
  return s + (dims.rank() == 1 ? ",)" : ")");
}

Correction Correction::parse(const char* first, const char* last) {
  const std::string text(first, last);
  const auto refuse = [&]() -> Correction {
    throw Error(ErrorCode::bad_option,
                "ddof " + text + " is not an integer or a decimal of at most 9 significant digits" +
                    " and 9 places, such as 1 or 0.5");
  };
  // An integer of any size that 64 bits hold.
  Correction c;
  const char* begin = first != last && *first == '+' ? first + 1 : first;
  if (const auto r = std::from_chars(begin, last, c.numerator);
      r.ec == std::errc() && r.ptr == last) {
    return c;
  }
  // Digits, at most one point, an optional exponent.
  const char* p = first;
  const bool negative = p != last && *p == '-';
  if (p != last && (*p == '-' || *p == '+')) ++p;
  int64_t digits = 0;
  int exponent = 0, count = 0, zeros = 0;
  bool point = false, any = false;
  for (; p != last && (*p == '.' || (*p >= '0' && *p <= '9')); ++p) {
    if (*p == '.') {
      if (point) return refuse();
      point = true;
      continue;
    }
    any = true;
    exponent -= point;
    if (*p == '0') {  // zeros count only when a digit follows
      if (digits != 0 && ++zeros > 40) return refuse();
      if (digits == 0 && count == 0) continue;
      continue;
    }
    for (; zeros > 0 && count < 10; --zeros, ++count) digits *= 10;
    zeros = 0;
    digits = digits * 10 + (*p - '0');
    if (++count > 9) return refuse();
  }
  if (!any) return refuse();
  exponent += zeros;
  if (p != last && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != last && *p == '+') ++p;
    int e = 0;
    const auto r = std::from_chars(p, last, e);
    if (r.ec != std::errc() || r.ptr != last || e > 100 || e < -100) return refuse();
    exponent += e;
    p = last;
  }
  if (p != last) return refuse();
  if (digits == 0) return {};
  if (exponent < -9 || exponent > 9) return refuse();
  c.numerator = negative ? -digits : digits;
  for (; exponent > 0; --exponent) c.numerator *= 10;
  for (; exponent < 0; ++exponent) c.denominator *= 10;
  return c;
}

Correction::Correction(double k) {
  if (!std::isfinite(k)) {
    throw Error(ErrorCode::bad_option, "ddof " + std::to_string(k) + " is not a finite number");
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, k).ptr;
  *this = parse(text, end);
}

}  // namespace onefold
