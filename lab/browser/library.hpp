// Functions that Emscripten 3.1's C++ library lacks, for the lab in a browser, where it is included
// before every file.
#pragma once

#include <cstring>
#include <type_traits>
#include <version>

#if !defined(__cpp_lib_bit_cast)
namespace std {

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, from);
}

}  // namespace std
#endif

// Since no locale is set, strtod reads numbers as from_chars does, except for hexadecimal ones and
// for what may precede a number.
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>

namespace std {

template <class T>
requires is_floating_point_v<T> from_chars_result from_chars(const char* from, const char* end,
                                                             T& value) {
  const char* digits = from + (from != end && *from == '-');
  const bool number = digits != end && *digits != '+' && *digits != '-' && *digits != ' ' &&
                      *digits != '\t' && *digits != '\n';
  const bool hexadecimal = end - digits > 1 && digits[0] == '0' && (digits[1] | 32) == 'x';
  if (!number) return {from, errc::invalid_argument};
  const string text(from, hexadecimal ? digits + 1 : end);
  char* last = nullptr;
  const long double v = is_same_v<T, long double> ? strtold(text.c_str(), &last)
                        : is_same_v<T, double>    ? strtod(text.c_str(), &last)
                                                  : strtof(text.c_str(), &last);
  if (last == text.c_str()) return {from, errc::invalid_argument};
  value = static_cast<T>(v);
  return {from + (last - text.c_str()), errc()};
}

}  // namespace std
