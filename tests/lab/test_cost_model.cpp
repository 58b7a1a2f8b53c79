// The cost model compared with counts that were derived by hand.
#include "experiment.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

const std::vector<Point>& all() {
  static const auto points = points_of("cost", "sm_90", {{"n", "2^14"}});
  return points;
}

TEST(CostModel, IsAsPredicted) { expect_all_right(all()); }

TEST(CostModel, OfTheTwoSchemes) {
  // 1024 elements: 1023 additions of two reads and a write by 10 launches; or 4 blocks of 256, then
  // one over their 4 sums.
  const Point& naive = point(all(), "naive", {{"n", 1024}});
  EXPECT_EQ(figure(naive, "reads"), 2046);
  EXPECT_EQ(figure(naive, "writes"), 1023);
  EXPECT_EQ(figure(naive, "launches"), 10);
  const Point& blocks = point(all(), "m_elements_a_block", {{"n", 1024}});
  EXPECT_EQ(figure(blocks, "reads"), 1024 + 4);
  EXPECT_EQ(figure(blocks, "writes"), 4 + 1);
  EXPECT_EQ(figure(blocks, "launches"), 2);
}

TEST(CostModel, FallsWithElementsAThread) {
  const auto of = [](int64_t each, const char* what) {
    return figure(
        point(all(), "many_elements_a_thread", {{"n", 16384}, {"elements_a_thread", each}}), what);
  };
  // 2^13 threads: 2 + 13 steps, half as many threads as elements. 2^10: 16 + 10, a sixteenth.
  EXPECT_EQ(of(2, "steps"), 15);
  EXPECT_EQ(of(2, "cost_over_n"), 7.5);
  EXPECT_EQ(of(16, "cost_over_n"), 26.0 / 16);
  for (int64_t each = 2; each < 64; each *= 2) {
    EXPECT_GT(of(each, "cost_over_n"), of(each * 2, "cost_over_n"));
    EXPECT_GT(of(each, "counted_over_n"), of(each * 2, "counted_over_n")) << each;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
