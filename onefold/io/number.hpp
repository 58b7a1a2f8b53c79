// Parses one number in a text.
//
//   floats    [+-] digits with at most one point, at least one digit, and an exponent, or nan, inf,
//             infinity in any case; rounded once to the type, to nearest even
//   integers  [+-] digits
//   bool      true, false in any case, 1, 0, with the signs that those allow
//   beyond    finite, but past the largest number of the type, also if only by rounding
//   source    fast_float for f32 and f64; f16 and bf16 are rounded from the decimal, not from f64
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/engine/plan/decimal_terms.hpp"

namespace onefold::io {

enum class NumberError : uint8_t {
  none,
  not_a_number,
  not_an_integer,  // another number
  not_a_bool,      // a number
  beyond,
  inexact,  // f64 does not hold this integer
};

// What a reader of f64 does with integers beyond 2^53 that f64 does not hold. All but `rounded` add
// terms for the digits that f64 cannot hold.
enum class Integers : uint8_t {
  rounded,  // uses the nearest f64
  refused,  // an error in a column that was chosen; other columns are left out
  noted,    // the column is left out, even if it was chosen
  spelt     // the nearest f64; terms have all digits of the integer
};

// White space, a comma or the end of a line.
constexpr bool is_separator(char c) { return c == ' ' || c == ',' || (c >= '\t' && c <= '\r'); }

struct Token {
  const char* begin;
  const char* end;
};

// Parses the number that begins at `begin`, which is no separator and before `end`.
//   exact   refuse integers that T = double does not hold
//   stop    gets the end of the token, even if that is no number
template <class T>
NumberError parse_number(const char* begin, const char* end, bool exact, T& value,
                         const char*& stop);

// Compares the exact values of two tokens that are numbers, but not NaN. Infinities are beyond all
// finite numbers. Returns a negative number, 0 or a positive number.
int compare_numbers(std::string_view a, std::string_view b);

// Returns the whole number from 0 to 2^64 - 1 that a token spells, as 3, 3.0 and 0.3e1 do. Returns
// none if its exact value is another number.
//   token  a number that parse_number takes
std::optional<uint64_t> whole_number(std::string_view token);

// Appends the digits of a token, which is a finite number, as terms of 19 digits each.
//   beyond  appends nothing if the nearest f64 already determines the decimal
void append_terms(Token token, Size place, bool beyond, std::vector<DecimalTerm>& terms);

// Returns a token for messages: quoted, its first 40 bytes or a little more, as UTF-8; characters
// that cannot be printed become "?".
std::string quote(Token token);

// Returns a message about a wrong token: `"300" is beyond i8, which holds -128 to 127`.
std::string explain(NumberError error, Token token, DType t);

}  // namespace onefold::io
