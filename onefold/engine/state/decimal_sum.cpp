// Spells the exact sum of decimals.
#include <algorithm>
#include <string>

#include "onefold/core/accumulator.hpp"
#include "onefold/engine/state/state.hpp"

namespace onefold {
namespace {

// All digits of the number that exact/decimal.hpp's words are, canonical ones.
std::string decimal_text_of(const int64_t* words) {
  using onefold::decimal::below, onefold::decimal::carry;
  constexpr int count = onefold::decimal::words;
  int64_t w[count];
  std::copy_n(words, count, w);
  const bool negative = w[count - 1] < 0;
  if (negative) {
    for (int64_t& v : w) v = -v;
    carry(w, count);
  }
  std::string digits;
  for (int k = count; k-- > 0;) {
    const std::string nine = std::to_string(w[k]);
    if (nine.size() < 9) digits.append(9 - nine.size(), '0');
    digits += nine;
    if (k == below) digits += '.';
  }
  digits.resize(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  const std::size_t first = digits.find_first_not_of('0');
  if (first == digits.npos) return "0";
  digits.erase(0, digits[first] == '.' ? first - 1 : first);
  return negative ? "-" + digits : digits;
}

}  // namespace

std::string State::decimal_sum() const {
  using Tally = accumulator::tally<double>;
  const Impl& s = held();
  const int64_t *const words = s.at(Accumulator::decimal), *const tally = s.at(Accumulator::tally);
  if (words == nullptr || tally == nullptr) {
    throw Error(ErrorCode::bad_option,
                "decimal_sum: the state has no decimal sum; gather it from text");
  }
  const bool above = tally[Tally::positive_infinity] > 0,
             below = tally[Tally::negative_infinity] > 0;
  if ((above && below) || (tally[Tally::nan] > 0 && s.nan != NanPolicy::omit)) return "NaN";
  if (above || below) return above ? "Infinity" : "-Infinity";
  return decimal_text_of(words);
}

}  // namespace onefold
