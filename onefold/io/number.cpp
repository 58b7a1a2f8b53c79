#include "onefold/io/number.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "onefold/core/exact/real.hpp"
#include "onefold/io/character.hpp"

namespace onefold::io {
namespace {

const char* token_end(const char* p, const char* end) {
  while (p != end && !is_separator(*p)) ++p;
  return p;
}

bool all_digits(const char* p, const char* end) {
  return p != end && std::all_of(p, end, is_digit);
}

// Decimal digits without zeros at either end: 0.d1 d2 d3 ... * 10^exponent.
struct DecimalDigits {
  std::string digits;
  int64_t exponent = 0;

  // [digits] with at most one point, then perhaps an exponent.
  explicit DecimalDigits(std::string_view text) {
    const char* p = text.data();
    const char* const end = p + text.size();
    bool point = false;
    for (; p != end && (*p == '.' || is_digit(*p)); ++p) {
      if (*p == '.') {
        point = true;
        continue;
      }
      if (*p != '0' || !digits.empty()) {
        digits += *p;
        exponent += !point;
      } else {
        exponent -= point;
      }
    }
    if (p != end) {
      ++p;
      const bool negative = *p == '-';
      if (*p == '-' || *p == '+') ++p;
      // A token has fewer than 2^40 digits, so a larger exponent alone decides that the number is 0
      // or infinite.
      int64_t e = 0;
      for (; p != end; ++p) e = std::min<int64_t>(e * 10 + (*p - '0'), int64_t{1} << 40);
      exponent += negative ? -e : e;
    }
    digits.erase(digits.find_last_not_of('0') + 1);
  }
};

// Returns the sign of a - b.
int compare(const DecimalDigits& a, const DecimalDigits& b) {
  if (a.digits.empty() || b.digits.empty()) return !a.digits.empty() - !b.digits.empty();
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  const int c = a.digits.compare(b.digits);  // the shorter one is followed by zeros
  return c < 0 ? -1 : c > 0;
}

bool takes_sign(std::string_view& token) {
  const bool negative = token[0] == '-';
  if (negative || token[0] == '+') token.remove_prefix(1);
  return negative;
}

// Returns the sign of |token| - d, for d > 0 and a token that is a finite number.
int compare(std::string_view token, double d) {
  takes_sign(token);
  const DecimalDigits a(token);
  // Exact for the callers' d: at most 53 bits from 2^-134 to 2^1024 have at most 309 digits.
  char text[400];
  const auto r = std::to_chars(text, text + sizeof text, d, std::chars_format::scientific, 320);
  return compare(a, DecimalDigits(std::string_view(text, static_cast<std::size_t>(r.ptr - text))));
}

// Returns the nearest f16 or bf16 of a token whose nearest f64 is d. If d is halfway between two of
// them, the token itself decides.
uint64_t narrow(double d, FloatFormat f, const char* begin, const char* end) {
  const Decoded x = decode(d);
  const auto mantissa = static_cast<Uint128>(x.mantissa) << 2;
  const int exponent = x.shift - 1074 - 2;
  const auto near = [&](Uint128 m) {
    return detail::round_to_float(m, exponent, false, x.negative, f);
  };
  if (x.mantissa == 0) return near(0);
  const uint64_t below = near(mantissa - 1), above = near(mantissa + 1);
  if (below == above) return below;
  const int side = compare({begin, static_cast<std::size_t>(end - begin)}, std::fabs(d));
  return side < 0 ? below : side > 0 ? above : near(mantissa);
}

// Returns whether a number without its sign is nan, inf or infinity.
bool begins_word(std::string_view token) { return !is_digit(token[0]) && token[0] != '.'; }

// Parses f32 or f64. `finite` is false for nan and inf, which are never out of range.
template <class F>
NumberError parse_float(const char* begin, const char* end, F& value, bool& finite,
                        const char*& stop) {
  const char* p = begin;
  if (*p == '+') {
    ++p;
    if (p == end || *p == '-') return NumberError::not_a_number;
  }
  const auto r = fast_float::from_chars(p, end, value);
  stop = r.ptr;
  // Newer versions report result_out_of_range for numbers that become 0 or infinity.
  if (r.ec == std::errc::invalid_argument || stop == p) return NumberError::not_a_number;
  if (stop != end && !is_separator(*stop)) return NumberError::not_a_number;
  finite = std::isfinite(value);
  if (finite) return NumberError::none;
  const char first = *p == '-' ? p[1] : *p;
  if (is_digit(first) || first == '.') return NumberError::beyond;
  return stop[-1] == ')' ? NumberError::not_a_number : NumberError::none;  // nan(...)
}

// f64 holds all integers up to 2^53.
constexpr double all_integers = 9007199254740992.0;

bool holds_integer(const char* begin, const char* end, double value) {
  if (*begin == '-' || *begin == '+') ++begin;
  return !all_digits(begin, end) ||
         compare({begin, static_cast<std::size_t>(end - begin)}, std::fabs(value)) == 0;
}

template <class T>
NumberError parse_integer(const char* begin, const char* end, T& value, const char*& stop) {
  const char* p = begin;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  // Collects up to 19 digits, which fit 64 bits.
  uint64_t magnitude = 0;
  const char* const digits = p;
  while (p != end && *p == '0') ++p;
  const char* const significant = p;
  bool beyond = false;
  for (; p != end && is_digit(*p); ++p) {
    const auto digit = static_cast<uint64_t>(*p - '0');
    if (p - significant < 19) {
      magnitude = magnitude * 10 + digit;
    } else {
      beyond |= __builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude) ||
                __builtin_add_overflow(magnitude, digit, &magnitude);
    }
  }
  stop = p;
  if (p == digits || (p != end && !is_separator(*p))) {
    double number = 0;
    bool finite = false;
    const NumberError e = parse_float(begin, end, number, finite, stop);
    const bool is_number = e == NumberError::none || e == NumberError::beyond;
    return is_number ? NumberError::not_an_integer : NumberError::not_a_number;
  }
  const auto most = static_cast<uint64_t>(std::numeric_limits<T>::max());
  const uint64_t least = std::numeric_limits<T>::is_signed ? most + 1 : 0;
  if (beyond || magnitude > (negative ? least : most)) return NumberError::beyond;
  value = static_cast<T>(negative ? ~magnitude + 1 : magnitude);
  return NumberError::none;
}

bool is_word(const char* begin, const char* end, std::string_view word) {
  return static_cast<std::size_t>(end - begin) == word.size() &&
         std::equal(begin, end, word.begin(), [](char a, char b) { return (a | 32) == b; });
}

NumberError parse_bool(const char* begin, const char* end, Bool8& value, const char*& stop) {
  stop = token_end(begin, end);
  const bool yes = is_word(begin, stop, "true");
  if (yes || is_word(begin, stop, "false")) {
    value.byte = yes;
    return NumberError::none;
  }
  uint8_t number = 0;
  const NumberError e = parse_integer(begin, stop, number, stop);
  if (e == NumberError::not_a_number) return e;
  if (e != NumberError::none || number > 1) return NumberError::not_a_bool;
  value.byte = number;
  return NumberError::none;
}

template <class T>
NumberError parse(const char* begin, const char* end, bool exact, T& value, const char*& stop) {
  if constexpr (dtype_of<T> == DType::f16 || dtype_of<T> == DType::bf16) {
    double d = 0;
    bool finite = false;
    const NumberError e = parse_float(begin, end, d, finite, stop);
    if (e != NumberError::none) return e;
    constexpr FloatFormat f = float_format(dtype_of<T>);
    constexpr unsigned infinity = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
    if (finite) {
      value.bits = static_cast<uint16_t>(narrow(d, f, begin, stop));
      return (value.bits & 0x7fff) == infinity ? NumberError::beyond : NumberError::none;
    }
    const unsigned sign = std::signbit(d) ? 0x8000 : 0;
    const unsigned quiet = std::isnan(d) ? 1u << (f.mantissa_bits - 1) : 0;
    value.bits = static_cast<uint16_t>(sign | infinity | quiet);
    return NumberError::none;
  } else if constexpr (dtype_of<T> == DType::f64) {
    bool finite = false;
    const NumberError e = parse_float(begin, end, value, finite, stop);
    if (e != NumberError::none || !exact || !(std::fabs(value) >= all_integers) || !finite) {
      return e;
    }
    return holds_integer(begin, stop, value) ? NumberError::none : NumberError::inexact;
  } else if constexpr (dtype_of<T> == DType::f32) {
    bool finite = false;
    return parse_float(begin, end, value, finite, stop);
  } else if constexpr (dtype_of<T> == DType::boolean) {
    return parse_bool(begin, end, value, stop);
  } else {
    return parse_integer(begin, end, value, stop);
  }
}

std::string largest(DType t) {
  return visit(t, [&]<class T>() -> std::string {
    if constexpr (std::is_arithmetic_v<T>) {
      char text[40];
      const auto end = std::to_chars(text, text + sizeof text, std::numeric_limits<T>::max()).ptr;
      return {text, end};
    } else {
      return t == DType::f16 ? "65504" : "3.39e+38";
    }
  });
}

template <class T>
bool is_integer_of(Token token) {
  T value = 0;
  const char* stop = nullptr;
  return parse_integer(token.begin, token.end, value, stop) == NumberError::none;
}

}  // namespace

template <class T>
NumberError parse_number(const char* begin, const char* end, bool exact, T& value,
                         const char*& stop) {
  const NumberError e = parse(begin, end, exact, value, stop);
  if (e != NumberError::none) stop = token_end(begin, end);
  return e;
}

int compare_numbers(std::string_view a, std::string_view b) {
  const int sign_a = takes_sign(a) ? -1 : 1, sign_b = takes_sign(b) ? -1 : 1;
  const bool infinite_a = begins_word(a), infinite_b = begins_word(b);
  if (infinite_a || infinite_b) return (infinite_a ? sign_a : 0) - (infinite_b ? sign_b : 0);
  const DecimalDigits x(a), y(b);
  if (sign_a == sign_b || (x.digits.empty() && y.digits.empty())) return sign_a * compare(x, y);
  return x.digits.empty() ? -sign_b : sign_a;
}

std::optional<uint64_t> whole_number(std::string_view token) {
  const bool negative = takes_sign(token);
  if (begins_word(token)) return {};
  const DecimalDigits d(token);
  if (d.digits.empty()) return 0;
  constexpr int64_t most = 20;  // digits of 64 bits
  if (negative || d.exponent < static_cast<int64_t>(d.digits.size()) || d.exponent > most) {
    return {};
  }
  std::string digits = d.digits;
  digits.resize(static_cast<std::size_t>(d.exponent), '0');
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, value).ec != std::errc()) return {};
  return value;
}

void append_terms(Token token, Size place, bool beyond, std::vector<DecimalTerm>& terms) {
  const bool negative = *token.begin == '-';
  if (negative || *token.begin == '+') ++token.begin;
  if (token.begin == token.end || !(is_digit(*token.begin) || *token.begin == '.')) return;
  const DecimalDigits d({token.begin, static_cast<std::size_t>(token.end - token.begin)});
  constexpr std::size_t at_once = 19;  // numbers of 19 digits fit 64 bits
  for (std::size_t at = 0; at < d.digits.size(); at += at_once) {
    const std::size_t n = std::min(at_once, d.digits.size() - at);
    uint64_t magnitude = 0;
    for (std::size_t k = at; k < at + n; ++k) {
      magnitude = magnitude * 10 + static_cast<uint64_t>(d.digits[k] - '0');
    }
    const int64_t exponent = d.exponent - static_cast<int64_t>(at + n);
    if (beyond && n == d.digits.size() && is_short_decimal(magnitude, exponent)) return;
    if (magnitude == 0) continue;
    const auto held = std::max<int64_t>(exponent, std::numeric_limits<int32_t>::min());
    terms.push_back({place, magnitude, static_cast<int32_t>(held), negative});
  }
}

#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes)                               \
  template NumberError parse_number<type>(const char*, const char*, bool, type& value, \
                                          const char*& stop);
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE

namespace {

// Returns the bytes of the character at p if it can be printed: ASCII, or UTF-8 that neither
// controls a terminal nor changes the direction of neighbouring text. Otherwise returns 0.
std::size_t printed(const char* p, const char* end) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(p[k]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= ' ' && first <= '~' ? 1 : 0;
  const std::size_t n = first < 0xc2   ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (n == 0 || static_cast<std::size_t>(end - p) < n) return 0;
  uint32_t code = first & (0x7fu >> n);
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3fu);
  }
  const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
  const bool hidden = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                      (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
  const bool none = code < least[n] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
  return hidden || none ? 0 : n;
}

}  // namespace

std::string quote(Token token) {
  std::string shown = "\"";
  for (const char* p = token.begin; p != token.end;) {
    if (p - token.begin >= 40) {
      shown += "...";
      break;
    }
    const std::size_t n = printed(p, token.end);
    shown += n == 0 ? "?" : std::string_view(p, n);
    p += std::max<std::size_t>(n, 1);
  }
  return shown + "\"";
}

std::string explain(NumberError error, Token token, DType t) {
  const std::string shown = quote(token);
  switch (error) {
    case NumberError::not_an_integer:
      return shown + " is not an integer, which " + name_of(t) + " needs; pass --dtype f64";
    case NumberError::not_a_bool:
      return shown + " is not a bool; write true, false, 1 or 0";
    case NumberError::beyond:
      if (is_floating(t)) {
        return shown + " is beyond " + name_of(t) + ", whose largest number is " + largest(t);
      }
      return shown + " is beyond " + name_of(t) + ", which holds " +
             (kind_of(t) == onefold::Kind::unsigned_integer
                  ? "0"
                  : "-" + std::to_string(uint64_t{1} << (8 * bytes_of(t) - 1))) +
             " to " + largest(t);
    case NumberError::inexact: {
      const char* keeps = is_integer_of<int64_t>(token)    ? "--dtype i64 keeps it, and "
                          : is_integer_of<uint64_t>(token) ? "--dtype u64 keeps it, and "
                                                           : "no integer type can hold it, and ";
      return shown + " is an integer that f64 cannot hold; " + keeps + "--dtype f64 rounds it";
    }
    default:
      // Such bytes occur in no text.
      return shown + " is not a number" +
             (std::any_of(token.begin, token.end, [](char c) { return c >= 0 && c < ' '; })
                  ? "; for a file of raw numbers, pass --format raw --dtype f64"
                  : "");
  }
}

}  // namespace onefold::io
