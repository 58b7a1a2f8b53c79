// Sums of three f64 as words of a table.
#include <algorithm>
#include <cmath>
#include <memory>

#include "group/state_table.hpp"
#include "onefold/accumulator.hpp"

namespace onefold {
namespace {

// Digits of a magnitude from limb `lowest` on, all with the sum's sign.
struct ShortDigits {
  static constexpr int most = 12;
  int lowest, n;
  int64_t digit[most];
};

// Converts sums of three signed digits to the digits of the magnitude.
void settle(ShortDigits& d) {
  constexpr int64_t low = 0xffffffff;
  int64_t carry = 0;
  for (int k = 0; k < d.n; ++k) {
    const int64_t v = d.digit[k] + carry;
    d.digit[k] = v & low;
    carry = v >> 32;
  }
  if (carry < 0) {  // two's complement
    carry = 1;
    for (int k = 0; k < d.n; ++k) {
      const int64_t v = (~d.digit[k] & low) + carry;
      d.digit[k] = -(v & low);
      carry = v >> 32;
    }
  }
  while (d.n > 0 && d.digit[d.n - 1] == 0) --d.n;
  int zeros = 0;
  while (zeros < d.n && d.digit[zeros] == 0) ++zeros;
  if (zeros == 0) return;
  d.lowest += zeros;
  d.n -= zeros;
  for (int k = 0; k < d.n; ++k) d.digit[k] = d.digit[k + zeros];
}

// The digits of numbers that are multiples of 2^unit; false where they span too many.
bool find_digits(const double (&number)[3], int unit, ShortDigits& d) {
  uint64_t m[3];
  int at[3], n = 0, lowest = 0, end = 0;  // at: of each, its bits above 2^unit
  int64_t sign[3];
  for (const double v : number) {
    if (v == 0) continue;
    const auto bits = bit_cast<uint64_t>(v);
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
    m[n] = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{exponent != 0} << 52;
    at[n] = std::max(exponent, 1) - 1075 - unit;
    if (at[n] < 0) {
      m[n] >>= -at[n];
      at[n] = 0;
    }
    sign[n] = static_cast<int64_t>(bits) >> 63;
    lowest = n == 0 ? at[n] / 32 : std::min(lowest, at[n] / 32);
    end = std::max(end, at[n] / 32 + 4);  // three digits and their carry
    ++n;
  }
  d.lowest = lowest;
  d.n = end - lowest;
  if (d.n > ShortDigits::most) return false;
  for (int64_t& digit : d.digit) digit = 0;
  for (int k = 0; k < n; ++k) {
    const Uint128 v = static_cast<Uint128>(m[k]) << at[k] % 32;
    int64_t* const to = d.digit + (at[k] / 32 - lowest);
    for (int j = 0; j < 3; ++j) {
      const auto digit = static_cast<int64_t>(static_cast<uint32_t>(v >> (32 * j)));
      to[j] += (digit ^ sign[k]) - sign[k];
    }
  }
  settle(d);
  return true;
}

// The exponent of limb 0.
int unit_of_sum(Accumulator a, DType t) {
  return visit(t, [&]<class T>() {
    return a == Accumulator::sumsq ? accumulator::sumsq<T>::unit : accumulator::sum<T>::unit;
  });
}

}  // namespace

void StateTable::put(const ExactSums& sums, uint8_t* exact) {
  constexpr Size block = 128;
  for (Size k = 0; k < sums.n; k += block) {
    put_block(sums, k, std::min(block, sums.n - k), exact + k);
  }
}

void StateTable::put_block(const ExactSums& sums, Size begin, Size n, uint8_t* exact) {
  using Tally = accumulator::tally<double>;
  const std::unique_ptr<ShortDigits[]> digits(new ShortDigits[parts_.size() * n]);
  std::vector<int> needed;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.row->limbs == 0) continue;
    const ExactSums::Sum& sum = sums.of(part.accumulator);
    const int unit = unit_of_sum(part.accumulator, dtype_);
    int lowest = part.row->limbs, end = 0;
    for (Size i = 0; i < n; ++i) {
      if (exact[i] == 0) continue;
      ShortDigits& d = digits[p * n + i];
      const double words[] = {sum.high[begin + i], sum.low[begin + i], sum.rest[begin + i]};
      if (!find_digits(words, unit, d)) exact[i] = 0;
      if (exact[i] == 0 || d.n == 0) continue;
      lowest = std::min(lowest, d.lowest);
      end = std::max(end, d.lowest + d.n);
    }
    if (lowest < end) needed.insert(needed.end(), {part.begin + lowest, part.begin + end - 1});
  }
  // Only the sum of elements that are all -0 is -0.
  const auto flag = [&](Size i) {
    const double v = sums.sum.high[begin + i];
    return is_floating(dtype_) && !(v == 0 && std::signbit(v));
  };
  const auto zeros = [&](Size i) {
    const auto& [high, low, rest] = sums.zeros;
    return static_cast<int64_t>(high[begin + i] + low[begin + i] + rest[begin + i]);
  };
  for (const Part& part : parts_) {
    bool some_flag = false, some_zeros = false;
    for (Size i = 0; i < n; ++i) {
      some_flag |= exact[i] != 0 && flag(i);
      some_zeros |= exact[i] != 0 && part.accumulator == Accumulator::zeros && zeros(i) != 0;
    }
    if (part.accumulator == Accumulator::tally) needed.push_back(part.begin + Tally::n);
    if (part.accumulator == Accumulator::tally && some_flag) {
      needed.push_back(part.begin + Tally::not_negative_zero);
    }
    if (some_zeros) needed.push_back(part.begin);
  }
  Lock lock(widening_);
  widen(needed, lock);
  for (Size i = 0; i < n; ++i) {
    if (exact[i] == 0) continue;
    int64_t* const to = at(sums.first + (begin + i) * sums.step);
    for (std::size_t k = 0; k < used_.size(); ++k) to[k] = 0;
    to[used_.size() - 1] = static_cast<int64_t>(sums.count);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      const auto set = [&](int word, int64_t value) {
        const int k = slot_[static_cast<std::size_t>(part.begin + word)];
        if (k >= 0) to[k] = value;
      };
      if (part.accumulator == Accumulator::tally) {
        set(Tally::n, static_cast<int64_t>(sums.count));
        set(Tally::not_negative_zero, flag(i) ? 1 : 0);
      } else if (part.accumulator == Accumulator::zeros) {
        set(0, zeros(i));
      } else if (const ShortDigits& d = digits[p * n + i]; d.n != 0) {
        int64_t* const digit = to + slot_[static_cast<std::size_t>(part.begin + d.lowest)];
        for (int k = 0; k < d.n; ++k) digit[k] = d.digit[k];
      }
    }
  }
}

}  // namespace onefold
