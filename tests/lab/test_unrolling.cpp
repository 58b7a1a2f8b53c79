#include "experiment.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

TEST(Unrolling, ChangesNeitherSumsNorLoads) {
  const auto all = points_of("unrolling");
  expect_all_right(all);
  // 2^14 elements: two loads and a store for each 32.
  const Point& p = point(all, "by_pragma", {{"unrolled", 8}});
  EXPECT_EQ(figure(p, "loads"), 1024);
  EXPECT_EQ(figure(p, "stores"), 512);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto& q) { return q.name == "on_cpu"; }), 4);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
