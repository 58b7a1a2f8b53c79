// Ranges of elements behave like a set of elements.
#include "onefold/engine/request/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "expect_error.hpp"
#include "onefold/fold.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

std::set<Size> elements_of(const Ranges& ranges) {
  std::set<Size> all;
  for (const auto& [begin, end] : ranges) {
    for (Size i = begin; i < end; ++i) all.insert(i);
  }
  return all;
}

Ranges ranges_of(const std::set<Size>& elements) {
  Ranges ranges;
  for (auto at = elements.begin(); at != elements.end();) {
    const Size begin = *at;
    Size end = begin;
    for (; at != elements.end() && *at == end; ++at) ++end;
    EXPECT_TRUE(ranges.append(begin, end));
  }
  return ranges;
}

TEST(Ranges, AreTheUnionOfAllPairsOfSixElements) {
  constexpr Size n = 6;
  const auto set_of = [](Size bits) {
    std::set<Size> s;
    for (Size i = 0; i < n; ++i) {
      if ((bits >> i & 1) != 0) s.insert(i);
    }
    return s;
  };
  for (Size a = 0; a < Size{1} << n; ++a) {
    for (Size b = 0; b < Size{1} << n; ++b) {
      const Ranges before = ranges_of(set_of(a));
      Ranges all = before;
      const test::Caught caught = test::caught([&] { all.unite(ranges_of(set_of(b))); });
      if ((a & b) == 0) {
        EXPECT_EQ(all, ranges_of(set_of(a | b))) << a << " " << b;
        EXPECT_EQ(elements_of(all), set_of(a | b));
        continue;
      }
      EXPECT_EQ(caught.code, ErrorCode::overlap) << a << " " << b;
      const std::string first = "from " + std::to_string(*set_of(a & b).begin()) + " to ";
      EXPECT_NE(caught.message.find(first), std::string::npos) << caught.message;
      EXPECT_EQ(all, before);
    }
  }
}
TEST(Ranges, AreAppendedInOrderAlone) {
  Ranges ranges(3, 5);
  for (const auto& [begin, end] : {std::pair<Size, Size>{5, 6}, {4, 8}, {0, 2}, {9, 9}, {9, 8}}) {
    EXPECT_FALSE(ranges.append(begin, end)) << begin;
  }
  EXPECT_TRUE(ranges.append(6, 7));
  EXPECT_EQ(ranges.size(), 2u);
}
// Ranges fill some blocks and leave some empty; parts of any size give the union that a set gives.
TEST(Ranges, OfManyBlocksAreTheUnionOfAnyParts) {
  std::mt19937_64 random(11);
  const auto below = [&](Size n) { return random() % n; };
  for (int trial = 0; trial < test::scaled(60); ++trial) {
    const Size n = 8 * Ranges::most, owners = 1 + below(40), left_out = 1 + below(6);
    std::vector<std::set<Size>> elements(owners);
    for (Size i = 0; i < n;) {
      const Size length = 1 + below(3), owner = below(owners);
      for (Size end = i + length; i < end; ++i) elements[owner].insert(i);
      if (below(left_out) == 0) ++i;
    }
    Ranges all;
    std::set<Size> expected;
    for (const std::set<Size>& more : elements) {
      const Ranges part = ranges_of(more);
      all.unite(part);
      expected.insert(more.begin(), more.end());
      ASSERT_EQ(all, ranges_of(expected));
      ASSERT_EQ(all.elements(), expected.size());
      ASSERT_EQ(elements_of(all), expected);
      if (part.empty()) continue;
      const Ranges whole = all;
      EXPECT_EQ(test::caught([&] { all.unite(part); }).code, ErrorCode::overlap);
      ASSERT_EQ(all, whole);
    }
    for (Size i = 0; i <= n + 3; ++i) ASSERT_EQ(all.has(i), expected.contains(i)) << i;
  }
}
// If it took quadratic time, a million parts would take hours.
TEST(Ranges, OfAMillionPartsInAnyOrderGiveTheBytesOfOne) {
  constexpr Size parts = 1'000'000;
  std::vector<Size> order(parts);
  std::iota(order.begin(), order.end(), Size{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(5));
  Ranges ranges;
  for (const Size k : order) ranges.unite(Ranges(3 * k, 3 * k + 3));
  EXPECT_EQ(ranges, Ranges(0, 3 * parts));
  State all;
  constexpr Size few = 20'000;
  std::vector<double> x(few);
  for (const Size k : order) {
    if (k >= few) continue;
    x[k] = static_cast<double>(k * 7919 % 1000);
    all.merge(gather("argmax", ArrayRef(&x[k], f64, {1}), {.first = k}));
  }
  EXPECT_EQ(all.save(), gather("argmax", x).save());
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
