// One number in a text.
//
//   floats    [+-] digits with at most one point, at least one digit, and an exponent, or nan, inf,
//             infinity in any case; rounded once to the type, to nearest even
//   integers  [+-] digits
//   bool      true, false in any case, 1, 0, with the signs that those allow
//   beyond    finite, but past the largest number of the type, also if only by rounding
//   source    fast_float for f32 and f64; f16 and bf16 are rounded from the decimal, not from f64
#pragma once

#include <string>
#include <vector>

#include "onefold/array.hpp"
#include "plan/decimal_terms.hpp"

namespace onefold::io {

enum class NumberError : uint8_t {
  none,
  not_a_number,
  not_an_integer,  // a number all the same
  not_a_bool,      // likewise
  beyond,
  inexact,  // an integer that f64 does not hold
};

// What a reader of f64 does with integers beyond 2^53 that f64 does not hold. All but `rounded` add
// terms for what f64 do not tell.
enum class Integers : uint8_t {
  rounded,  // takes the f64 next to them
  refused,
  spelt  // likewise; their terms have all digits
};

// White space, a comma or the end of a line.
constexpr bool is_separator(char c) { return c == ' ' || c == ',' || (c >= '\t' && c <= '\r'); }

struct Token {
  const char* begin;
  const char* end;
};

// The number that begins at `begin`, which is no separator and before `end`.
//   exact   refuse integers that T = double does not hold
//   stop    where the token ends, whatever it is
template <class T>
NumberError parse_number(const char* begin, const char* end, bool exact, T& value,
                         const char*& stop);

// What a token that is a finite number spells, as terms of 19 digits each.
//   beyond  none where the accumulator of decimals knows it by its nearest f64
void append_terms(Token token, Size place, bool beyond, std::vector<DecimalTerm>& terms);

// A token as messages show it: quoted, the first 40 bytes or a little more, as UTF-8; what does not
// print as "?".
std::string quote(Token token);

// A message about a wrong token: `"300" is beyond i8, which holds -128 to 127`.
std::string explain(NumberError error, Token token, DType t);

}  // namespace onefold::io
