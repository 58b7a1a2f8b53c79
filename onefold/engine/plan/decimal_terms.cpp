#include "onefold/engine/plan/decimal_terms.hpp"

#include <string>

#include "onefold/engine/plan/decimal_words.hpp"
#include "onefold/error.hpp"

namespace onefold {

DecimalTerm raised(DecimalTerm term) {
  while (term.exponent < decimal::lowest && term.magnitude % 10 == 0) {
    term.magnitude /= 10;
    ++term.exponent;
  }
  if (term.exponent >= decimal::lowest) return term;
  throw Error(ErrorCode::out_of_range,
              "a number has digits below 10^-1080 (" + std::to_string(term.magnitude) + "e" +
                  std::to_string(term.exponent) +
                  "), which decimal sums cannot hold; --dtype f64 rounds each number first");
}

void add_terms(std::span<const DecimalTerm> terms, int64_t* words) {
  const auto add = [words](int w, int64_t digits) { words[w] += digits; };
  constexpr std::size_t few = 8;  // up to so many terms, bins are slower
  decimal::Bins bins;
  for (const DecimalTerm& t : terms) {
    if (terms.size() > few && decimal::Bins::has(t.exponent)) {
      bins.add(t.magnitude, t.exponent, t.negative);
    } else {
      add_term(add, t);
    }
  }
  if (terms.size() > few) bins.add_to(words);
  carry_decimals(words);
}

}  // namespace onefold
