// Converts a sum of decimals to leading bits.
//
//   method  to get the next 32 bits, the words below 1 are multiplied by 2^32, and carried
#include <algorithm>
#include <array>

#include "onefold/core/gathered.hpp"
#include "onefold/engine/plan/decimal_words.hpp"

namespace onefold {
namespace {

// To round a quotient correctly, these digits (more than a Real uses) are enough, with a flag for
// lower ones.
constexpr int most_leading = 7;
constexpr int whole_digits = 36;     // (2^63 times the largest f64) < 2^(32 * 36)
constexpr int fraction_digits = 34;  // 2^-1074 * 2^(32 * 34) > 1

// Converts a negative sum to its magnitude, by the complement of each digit.
//   first  the lowest word that is not 0
void make_positive(std::array<int64_t, decimal::words>& w, int first) {
  auto k = static_cast<Size>(first);
  constexpr Size last = decimal::words - 1;
  if (k == last) {
    w[last] = -w[last];
    return;
  }
  w[k] = decimal::base - w[k];
  while (++k < last) w[k] = decimal::base - 1 - w[k];
  w[last] = -1 - w[last];
}

}  // namespace

SignedMagnitude Gathered::sum_of_decimals() const {
  std::array<int64_t, decimal::words> w;
  std::copy_n(at(Accumulator::decimal), w.size(), w.begin());
  UsedWords used = used_words(w.data());
  if (used.first == used.end) return {};
  const bool negative = w.back() < 0;
  if (negative) {
    make_positive(w, used.first);
    used = used_words(w.data());
  }
  // A sum with few words is a quotient of 128 bits by 96.
  const int first = std::min(used.first, decimal::below);
  if (used.end - first <= 4 && decimal::below - first <= 3) {
    Uint128 sum = 0, unit = 1;
    for (int k = used.end; k-- > first;) {
      sum = sum * decimal::base + static_cast<Uint128>(w[static_cast<Size>(k)]);
    }
    for (int k = first; k < decimal::below; ++k) unit *= decimal::base;
    const Leading whole(sum);
    return {unit == 1 ? whole : divide(whole, unit, most_leading), negative};
  }
  const auto is_set = [](int64_t v) { return v != 0; };
  const auto point = w.begin() + decimal::below;
  auto low = w.begin() + used.first;
  const auto top = w.begin() + used.end;

  // Digits, the lowest first, with room below for all digits of a fraction that matter.
  constexpr int below = fraction_digits + most_leading;
  std::array<uint32_t, below + whole_digits> digit{};
  int high = below - 1;  // the highest digit that is not 0, once one is found
  for (auto v = std::max(top, point); v-- != point;) {
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
  // The sum is below 2^-1300, which rounds to 0 in every type.
  if (!found) return {Leading(1, -32 * below), negative};
  int lowest = next;
  while (digit[static_cast<std::size_t>(lowest)] == 0) ++lowest;
  Leading r = leading_digits([&](int k) { return digit[static_cast<std::size_t>(k)]; }, lowest,
                             high, -32 * below);
  r.sticky = r.sticky || std::any_of(std::min(low, point), point, is_set);
  return {r, negative};
}

}  // namespace onefold
