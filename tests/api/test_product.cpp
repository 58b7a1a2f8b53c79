// Products of integers compare as the multiplied numbers would.
#include "api/contradiction.hpp"

#include <gtest/gtest.h>

#include <random>

namespace onefold {
namespace {

using Limbs = std::vector<int64_t>;

// Makes digits that have one sign.
Limbs some_limbs(std::mt19937_64& random, std::size_t digits) {
  const int64_t sign = random() % 2 == 0 ? 1 : -1;
  Limbs limbs(digits);
  for (int64_t& d : limbs) d = sign * static_cast<uint32_t>(random());
  return limbs;
}
Limbs limbs_of(const Integer& v) {
  Limbs limbs(static_cast<std::size_t>(v.digits()));
  for (int k = 0; k < v.digits(); ++k) limbs[static_cast<std::size_t>(k)] = v[k];
  return limbs;
}
Number number(const Limbs& limbs, int lowest = 0) {
  return number_of(limbs.data(), lowest, static_cast<int>(limbs.size()));
}

TEST(Product, ComparesAsTheMultipliedNumbersDo) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const auto draw = [&](std::size_t most) { return some_limbs(random, random() % most); };
    const Limbs limbs[] = {draw(6), draw(70), draw(6), draw(70)};
    const int lowest = static_cast<int>(random() % 3), shift = static_cast<int>(random() % 100);
    const Number a = number(limbs[0], lowest), b = number(limbs[1]), c = number(limbs[2]),
                 d = number(limbs[3], lowest);
    const Product p{3, &a, &b, shift}, q{1, &c, &d};
    EXPECT_EQ(less(p, q), less_in_magnitude(p.exact(), q.exact())) << trial;
    EXPECT_EQ(p.exact().zero(), a.zero() || b.zero()) << trial;
    // Products that differ only in their lowest digit.
    Integer product = Product{1, &a, &b}.exact();
    product.negative = false;
    const Limbs same = limbs_of(product), more = limbs_of(product + integer(1));
    const Number equal = number(same), next = number(more);
    EXPECT_FALSE(differ({1, &a, &b}, {1, &equal})) << trial;
    EXPECT_TRUE(less({1, &a, &b}, {1, &next})) << trial;
    EXPECT_FALSE(less({1, &next}, {1, &a, &b})) << trial;
  }
}

}  // namespace
}  // namespace onefold
