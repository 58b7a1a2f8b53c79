// Integers of bounded length behave like integers of any length.
#include "onefold/core/exact/long_integer.hpp"

#include <gtest/gtest.h>

#include <random>

#include "natural.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using Number = LongInteger<64>;

// Makes a number with up to `most` digits; many of them are 0 or have all bits set.
Number some(std::mt19937_64& r, int most) {
  Number v;
  const int n = static_cast<int>(r() % static_cast<unsigned>(most + 1));
  for (int k = 0; k < n; ++k) {
    const uint32_t kinds[] = {0, ~0u, static_cast<uint32_t>(r() % 3), static_cast<uint32_t>(r())};
    v.digit[k] = kinds[r() % 4];
  }
  v.negative = r() % 2 == 0;
  v.trim(n);
  return v;
}
Integer any_length(const Number& v) {
  return shortened({Natural(v.digit.digit, v.digit.digit + v.size), v.negative, 0});
}
bool same(const Number& a, const Integer& b) {
  return equal_in_magnitude(any_length(a), b) && (b.zero() || a.negative == b.negative);
}

TEST(LongInteger, AddsAndMultipliesAsNumbersOfAnyLength) {
  std::mt19937_64 r(1);
  for (int k = 0; k < 50'000; ++k) {
    const Number a = some(r, 24), b = some(r, 24);
    const Integer x = any_length(a), y = any_length(b);
    ASSERT_TRUE(same(a * b, x * y)) << k;
    ASSERT_TRUE(same(a + b, x + y)) << k;
    ASSERT_TRUE(same(a - b, x - y)) << k;
  }
}

TEST(LongInteger, DividesIntoLeadingBitsAndSaysWhetherThereIsARest) {
  std::mt19937_64 r(2);
  for (int k = 0; k < 50'000; ++k) {
    Number a = some(r, 24), b = some(r, 24);
    a.negative = b.negative = false;
    if (b.zero()) continue;
    const Integer x = any_length(a), y = any_length(b);
    const Leading q = quotient(a, b, 0);
    ASSERT_EQ(q.zero(), x.zero());
    if (x.zero()) continue;
    // Tests floor(q) b 2^e <= a < (floor(q) + 1) b 2^e.
    const int e = q.exponent + Leading::bits - 128;
    const Integer up = integer(1, e > 0 ? e : 0), down = integer(1, e < 0 ? -e : 0);
    const Integer low = integer(q.high()) * y * up, scaled = x * down;
    if (!q.below_high()) {
      ASSERT_TRUE(equal_in_magnitude(low, scaled)) << k;
      continue;
    }
    ASSERT_TRUE(less(low, scaled)) << k;
    ASSERT_TRUE(less(scaled, (integer(q.high()) + integer(1)) * y * up)) << k;
  }
}

}  // namespace ONEFOLD_FILE
