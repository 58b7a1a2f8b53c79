// Working and diverging warps of a block of 512, 16 warps, derived by hand.
#include "experiment.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

const std::vector<Point>& all() {
  static const auto points = points_of("divergence");
  return points;
}

double step(const char* name, int64_t number, int64_t distance, const char* what) {
  return figure(point(all(), name, {{"step", number}, {"distance", distance}}), what);
}

TEST(Divergence, IsAsPredicted) { expect_all_right(all()); }

TEST(Divergence, OfNeighbours) {
  // Every second to every 32nd thread: a lane or more in all 16 warps. Then every second warp, ..
  const double working[] = {16, 16, 16, 16, 16, 8, 4, 2, 1};
  for (int64_t k = 0; k < 9; ++k) {
    EXPECT_EQ(step("neighbored", k + 1, int64_t{1} << k, "working_warps"), working[k]);
    EXPECT_EQ(step("neighbored", k + 1, int64_t{1} << k, "diverging_warps"), working[k]);
  }
}

TEST(Divergence, OfFirstThreads) {
  // 256, 128, 64, 32 threads are whole warps; 16, 8, 4, 2, 1 a part of one: "only the last five
  // steps diverge".
  const double working[] = {8, 4, 2, 1, 1, 1, 1, 1, 1};
  const double diverging[] = {0, 0, 0, 0, 1, 1, 1, 1, 1};
  for (int64_t k = 0; k < 9; ++k) {
    EXPECT_EQ(step("neighbored_less", k + 1, int64_t{1} << k, "working_warps"), working[k]);
    EXPECT_EQ(step("neighbored_less", k + 1, int64_t{1} << k, "diverging_warps"), diverging[k]);
    EXPECT_EQ(step("interleaved", k + 1, int64_t{256} >> k, "working_warps"), working[k]);
    EXPECT_EQ(step("interleaved", k + 1, int64_t{256} >> k, "diverging_warps"), diverging[k]);
  }
}

TEST(Divergence, OfBranches) {
  // A load, a branch, and a store for each way: 32 + 32 + 32 lanes by 3, or 32 + 32 + 16 + 16 by 4.
  EXPECT_EQ(figure(point(all(), "by_warp", {}), "instructions"), 3);
  EXPECT_EQ(figure(point(all(), "by_parity", {}), "instructions"), 4);
  EXPECT_EQ(figure(point(all(), "by_parity", {}), "active_lanes"), 24);
  EXPECT_EQ(point(all(), "by_parity", {}).report->counters.divergent_branches, 32u * 16);
  EXPECT_EQ(point(all(), "selected", {}).report->counters.branches, 0u);
}

TEST(Divergence, OfLoops) {
  const Point& by_lane = point(all(), "trips", {{"trips", "lane"}});
  EXPECT_EQ(figure(by_lane, "rounds_of_a_warp"), 31);
  EXPECT_EQ(figure(by_lane, "lanes_a_round"), 16);  // (0 + 1 + .. + 31) / 31
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
