// Whether products of whole numbers compare as they would when multiplied.
#include "api/contradiction.hpp"

#include <gtest/gtest.h>

#include <random>

namespace onefold {
namespace {

Natural some_natural(std::mt19937_64& random, std::size_t digits) {
  Natural v(digits);
  for (uint32_t& d : v) d = static_cast<uint32_t>(random());
  trim(v);
  return v;
}

TEST(Product, ComparesAsTheMultipliedNumbersDo) {
  std::mt19937_64 random(1);
  const Natural one = natural(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const Natural a = some_natural(random, random() % 6), b = some_natural(random, random() % 70);
    const Natural c = some_natural(random, random() % 6), d = some_natural(random, random() % 70);
    const int shift = static_cast<int>(random() % 100);
    EXPECT_EQ(less({a, b, shift}, {c, d}), less(a * b * natural(1, shift), c * d)) << trial;
    // Products that differ in their lowest digit alone.
    const Natural product = a * b, more = product + one;
    EXPECT_FALSE(less({a, b}, {product, one})) << trial;
    EXPECT_FALSE(less({product, one}, {a, b})) << trial;
    EXPECT_TRUE(less({a, b}, {more, one})) << trial;
    EXPECT_FALSE(less({more, one}, {a, b})) << trial;
  }
}

}  // namespace
}  // namespace onefold
