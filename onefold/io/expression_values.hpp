// The values of an expression, one for each row.
//
//   numbers  an f64 each. Integers that f64 does not hold have a rest: what the nearest f64 lacks
//   whole    values of texts and of columns of integers; + - * % of them are exact. A result that
//            is not has the rest `rounded`, and so has what is computed from it
//   beyond   the rest of integers of 2^116 or more, which are only compared with other numbers
//   pointed  numbers that a text spells with a point or an exponent, as 1.5e20, and what is made
//            of them; empty: none is
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/engine/plan/decimal_terms.hpp"

namespace onefold::io {

enum class Kind : uint8_t { number, truth, text };

// An expression's values, one for each row; a constant has one value for all rows.
struct Values {
  static constexpr int64_t rounded = std::numeric_limits<int64_t>::min(), beyond = rounded + 1;

  Kind kind = Kind::number;
  std::vector<double> numbers = {};  // truth values are 1 and 0
  std::vector<std::string> texts = {};
  std::vector<unsigned char> null = {};  // 1: the value is null
  bool constant = false;
  std::vector<int64_t> rests = {};          // of numbers; empty: none has one
  std::vector<unsigned char> pointed = {};  // 1: no integer of the data, so f64 may round it
  bool whole = false;
  bool scientific = false;  // a constant with a point or an exponent: beside f64 it has no rest

  Size at(Size row) const { return constant ? 0 : row; }
  bool is_null(Size row) const { return null[at(row)] != 0; }
  double number(Size row) const { return numbers[at(row)]; }
  const std::string& text(Size row) const { return texts[at(row)]; }
  void resize(Size n);

  int64_t rest(Size row) const { return rests.empty() ? 0 : rests[at(row)]; }
  // Whether the number is an integer with a rest.
  bool is_long(Size row) const { return rest(row) != 0 && rest(row) != rounded; }
  // Whether f64 does not hold it; decimals: nor stands for it, as 1e23 does.
  bool is_beyond_f64(Size row, bool decimals) const;
  // Returns the exact integer that the value is; none: a fraction, rounded, or beyond.
  std::optional<Int128> integer(Size row) const;
  // Returns the digits of an integer beyond f64; of other numbers the fewest that read back.
  std::string digits(Size row) const;
  void set_rest(Size row, int64_t rest);
  // Returns false if the integer is 2^116 or more.
  bool set_integer(Size row, Int128 integer);
  bool is_pointed(Size row) const { return !pointed.empty() && pointed[at(row)] != 0; }
  void set_pointed(Size row);
  void copy(const Values& from, Size row);
  void negate(Size row);
  // Adds the rests that `terms` give rows of a column; `row` finds a row by its place, or none.
  //   decimals  a number stands for the decimal of at most 15 digits that is nearest to it
  void add_rests(bool decimals, std::span<const DecimalTerm> terms,
                 const std::function<std::optional<Size>(Size place)>& row);
  friend bool operator==(const Values&, const Values&) = default;
};

// Returns the integer that is the sum of terms; none: the sum is a fraction, or 2^116 or more.
// Terms of a fraction have a negative exponent.
std::optional<Int128> integer_of(std::span<const DecimalTerm> terms);
// Appends the terms of an integer, which is not 0.
void append_terms_of(Int128 integer, Size place, std::vector<DecimalTerm>& terms);
std::string digits_of(Int128 integer);

// Reads a constant. Returns what is wrong with it, as " is no number".
//   f64  it is for arrays, whose constants have no rest
std::optional<std::string> read_constant(const std::string& digits, bool f64, Values& to);

// Returns the sign of a - b; unordered, if one is NaN. Of what was rounded the f64 are compared.
//   decimals  values that are not `whole` were rounded
//   throws  out_of_range: both are beyond, and their f64 are equal
std::partial_ordering order_of_numbers(const Values& a, const Values& b, Size row, bool decimals);

}  // namespace onefold::io
