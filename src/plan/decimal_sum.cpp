// A sum of decimals in its leading bits.
//
//   method  the words below 1, times 2^32, carry the next 32 bits into the word above them
#include <algorithm>
#include <array>

#include "onefold/gathered.hpp"

namespace onefold {
namespace {

// More digits of 32 bits than a Real looks at, and whether anything is below, round any quotient.
constexpr int most_leading = 7;
constexpr int whole_digits = 36;     // (2^63 times the largest f64) < 2^(32 * 36)
constexpr int fraction_digits = 34;  // 2^-1074 * 2^(32 * 34) > 1

}  // namespace

ExactSum Gathered::sum_of_decimals() const {
  std::array<int64_t, decimal::words> w;
  std::copy_n(at(Accumulator::decimal), w.size(), w.begin());
  const bool negative = w.back() < 0;
  if (negative) {
    for (int64_t& v : w) v = -v;
    decimal::carry(w.data(), decimal::words);
  }
  const auto is_set = [](int64_t v) { return v != 0; };
  const auto point = w.begin() + decimal::below;
  auto low = std::find_if(w.begin(), w.end(), is_set);
  if (low == w.end()) return {};

  // The lowest first, with room below for all digits of a fraction that count.
  constexpr int below = fraction_digits + most_leading;
  std::array<uint32_t, below + whole_digits> digit{};
  int high = below - 1;  // the highest that is not 0, once there is one
  for (auto v = w.end(); v-- != point;) {
    auto carry = static_cast<uint64_t>(*v);
    for (int k = below; carry != 0 || k <= high; ++k) {
      const auto at = static_cast<std::size_t>(k);
      carry += static_cast<uint64_t>(digit[at]) * decimal::base;
      digit[at] = static_cast<uint32_t>(carry);
      carry >>= 32;
      if (digit[at] != 0) high = std::max(high, k);
    }
  }
  bool found = high >= below;
  int next = below;
  while (low < point && next > 0 && (!found || high - next < most_leading)) {
    uint64_t carry = 0;
    for (auto v = low; v != point; ++v) {
      carry += static_cast<uint64_t>(*v) << 32;
      *v = static_cast<int64_t>(carry % decimal::base);
      carry /= decimal::base;
    }
    digit[static_cast<std::size_t>(--next)] = static_cast<uint32_t>(carry);
    if (!found && carry != 0) {
      found = true;
      high = next;
    }
    while (low < point && *low == 0) ++low;
  }
  // Below 2^-1300, which no type tells from 0.
  if (!found) return {Leading(1, -32 * below), negative};
  int lowest = next;
  while (digit[static_cast<std::size_t>(lowest)] == 0) ++lowest;
  Leading r = leading_digits([&](int k) { return digit[static_cast<std::size_t>(k)]; }, lowest,
                             high, -32 * below);
  r.sticky = r.sticky || std::any_of(std::min(low, point), point, is_set);
  return {r, negative};
}

}  // namespace onefold
