// What a number in a text has beyond its f64: decimals of more than 15 digits, or of wide
// exponents, as terms of the sum of decimals (accumulator/decimal.hpp).
#pragma once

#include <span>

#include "onefold/core/exact/decimal.hpp"

namespace onefold {

// (-1)^negative * magnitude * 10^exponent, a part of the number with index `place`.
struct DecimalTerm {
  Size place;
  uint64_t magnitude;  // not 0
  int32_t exponent;
  bool negative;
};

// Returns whether the accumulator takes the nearest f64 for exactly magnitude * 10^exponent.
constexpr bool is_short_decimal(uint64_t magnitude, int64_t exponent) {
  if (magnitude == 0) return true;
  constexpr auto most = static_cast<uint64_t>(decimal::most_digits);
  if (magnitude < most && exponent >= -decimal::most_exponent) {
    return exponent <= decimal::most_exponent;
  }
  return exponent == 0 && magnitude <= uint64_t{1} << 53;
}

// Returns the term with zeros at its end dropped, so that its unit is larger.
//   throws  out_of_range: the term has digits below 10^-1080
DecimalTerm raised(DecimalTerm term);
// Passes the digits of a term to `add(word, value)`, as the accumulator's lift does.
template <class Sink>
void add_term(Sink&& add, const DecimalTerm& t) {
  const DecimalTerm term = t.exponent < decimal::lowest ? raised(t) : t;
  decimal::add_scaled(add, term.magnitude, term.negative, term.exponent);
}
// Adds terms to the words of a state, and carries them.
void add_terms(std::span<const DecimalTerm> terms, int64_t* words);

}  // namespace onefold
