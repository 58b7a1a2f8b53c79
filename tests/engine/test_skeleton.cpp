#include <gtest/gtest.h>

#include <vector>

#include "onefold/onefold.hpp"

namespace {

TEST(Sum, SurvivesCancellation) {
  const std::vector<float> x{1e30f, 1, -1e30f};
  EXPECT_EQ(onefold::sum(x), 1.0f);
}

TEST(Fold, GivesSeveralAnswersInOnePass) {
  const std::vector<double> x{1, 2, 3, 4};
  auto [m, v] = onefold::fold<onefold::mean, onefold::var>(x, {.ddof = 1});
  EXPECT_EQ(m, 2.5);
  EXPECT_EQ(v, 5.0 / 3);
}

TEST(Sum, OfI64IsExactForEveryTarget) {
  std::vector<int64_t> x(1001, int64_t{1} << 62);
  for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -x[i];
  for (const auto target : onefold::cpu_targets()) {
    EXPECT_EQ(onefold::sum(x, {.target = target}), -(int64_t{1} << 62)) << target;
  }
}

}  // namespace
