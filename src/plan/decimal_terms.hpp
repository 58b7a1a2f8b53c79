// What a text spells beyond what elements tell: decimals of more than 15 digits or of wide
// exponents, as terms of the sum of decimals (accumulator/decimal.hpp).
#pragma once

#include <span>

#include "onefold/exact/decimal.hpp"

namespace onefold {

// (-1)^negative * magnitude * 10^exponent, a part of the number at `place`.
struct DecimalTerm {
  Size place;
  uint64_t magnitude;  // not 0
  int32_t exponent;
  bool negative;
};

// Whether the accumulator takes magnitude * 10^exponent for its nearest f64.
constexpr bool is_short_decimal(uint64_t magnitude, int64_t exponent) {
  if (magnitude == 0) return true;
  constexpr auto most = static_cast<uint64_t>(decimal::most_digits);
  if (magnitude < most && exponent >= -decimal::most_exponent) {
    return exponent <= decimal::most_exponent;
  }
  return exponent == 0 && magnitude <= uint64_t{1} << 53;
}

// A term whose last digits are zeros, in a higher unit.
//   throws  out_of_range: it has digits below 10^-1080
DecimalTerm raised(DecimalTerm term);
// Hands the digits of a term to `add(word, value)`, as the accumulator's lift does.
template <class Sink>
void add_term(Sink&& add, const DecimalTerm& t) {
  const DecimalTerm term = t.exponent < decimal::lowest ? raised(t) : t;
  decimal::add_scaled(add, term.magnitude, term.negative, term.exponent);
}
// Adds terms to the words of a state, and carries them.
void add_terms(std::span<const DecimalTerm> terms, int64_t* words);

}  // namespace onefold
