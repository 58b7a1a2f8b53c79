// Converts numbers to text and text to numbers, for messages and options.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "onefold/array.hpp"
#include "onefold/core/correction.hpp"
#include "onefold/error.hpp"

namespace onefold {

std::string to_string(const Dims& dims) {
  std::string s = "(";
  for (int d = 0; d < dims.kept(); ++d) {
    if (d > 0) s += ", ";
    s += std::to_string(dims[d]);
  }
  if (dims.rank() > max_rank) s += ", ...";
  return s + (dims.rank() == 1 ? ",)" : ")");
}

namespace {

// Parses a decimal without a sign; nothing if its digits or places are too many.
std::optional<Correction> decimal_of(const char* p, const char* last, bool negative) {
  Correction c(0);
  int64_t digits = 0;    // trailing zeros do not count
  int64_t exponent = 0;  // the decimal exponent of the last digit
  int significant = 0;
  int64_t zeros = 0;
  bool point = false, any = false;
  for (; p != last && (*p == '.' || (*p >= '0' && *p <= '9')); ++p) {
    if (*p == '.') {
      if (point) return {};
      point = true;
      continue;
    }
    any = true;
    exponent -= point;
    if (*p == '0') {
      zeros += digits != 0;
      continue;
    }
    if (zeros > 8 || (significant += static_cast<int>(zeros) + 1) > 9) return {};
    for (; zeros > 0; --zeros) digits *= 10;
    digits = digits * 10 + (*p - '0');
  }
  if (!any) return {};
  exponent += zeros;
  if (p != last && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != last && *p == '+' && p + 1 != last && *(p + 1) != '-') ++p;
    int e = 0;
    const auto r = std::from_chars(p, last, e);
    if (r.ec != std::errc()) return {};
    exponent += e;
    p = r.ptr;
  }
  if (p != last) return {};
  if (digits == 0) return c;
  if (exponent < -9 || exponent > 18) return {};
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(digits, 10, &digits)) return {};
  }
  for (; exponent < 0; ++exponent) c.denominator *= 10;
  c.numerator = negative ? -digits : digits;
  return c;
}

}  // namespace

Correction Correction::parse(const char* first, const char* last) {
  const auto refuse = [&]() -> Correction {
    throw Error(ErrorCode::bad_option,
                "ddof \"" + std::string(first, last) +
                    "\" is not an integer of 64 bits or a decimal below 2^63 of at most 9 " +
                    "significant digits and 9 places, such as 1 or 0.5");
  };
  Correction c(0);
  // An integer with as many digits as 64 bits can hold.
  const bool sign = first != last && (*first == '-' || *first == '+');
  const char* const body = first + sign;
  if (body == last || *body == '-') return refuse();
  if (const auto r = std::from_chars(*first == '+' ? body : first, last, c.numerator);
      r.ec == std::errc() && r.ptr == last) {
    return c;
  }
  // A double in C's format %a: 0x1.8p+1.
  if (last - body > 2 && body[0] == '0' && body[1] == 'x' && body[2] != '-' &&
      std::find(body, last, 'p') != last) {
    double k = 0;
    const auto r = std::from_chars(body + 2, last, k, std::chars_format::hex);
    if (r.ec != std::errc() || r.ptr != last) return refuse();
    uint64_t all = 0;  // the digits, which must fit a double
    for (const char* d = body + 2; *d != 'p'; ++d) {
      if (*d == '.') continue;
      if (all >> 60 != 0) return refuse();
      all = all << 4 | static_cast<uint64_t>(*d <= '9' ? *d - '0' : (*d | 32) - 'a' + 10);
    }
    if (all != 0 && all >> __builtin_ctzll(all) >> 53 != 0) return refuse();
    return Correction(*first == '-' ? -k : k);
  }
  if (const auto decimal = decimal_of(body, last, *first == '-')) return *decimal;
  return refuse();
}

Correction::Correction(double k) : is_given(true) {
  const bool small = std::fabs(k) < 0x1p63;
  if (small && k == std::trunc(k)) {
    numerator = static_cast<int64_t>(k);
    return;
  }
  char text[32] = {};
  const char* const end = std::to_chars(text, text + sizeof text - 1, k).ptr;
  const bool negative = std::signbit(k);
  if (const auto decimal = decimal_of(text + negative, end, negative); small && decimal) {
    *this = *decimal;
    return;
  }
  constexpr double most = 0x1p29;  // kernels multiply by the denominator, which is below 2^30
  if (!small || k * most != std::trunc(k * most)) {
    throw Error(ErrorCode::bad_option,
                std::string("ddof ") + text +
                    " is not a decimal below 2^63 of at most 9 significant digits and 9 places, "
                    "or a multiple of 2^-29, such as 1 or 0.1; round it to one");
  }
  for (; k != std::trunc(k); k *= 2) denominator *= 2;
  numerator = static_cast<int64_t>(k);
}

}  // namespace onefold
