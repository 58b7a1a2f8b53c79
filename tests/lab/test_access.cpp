// Transactions with global memory, counted by hand: a warp of 32 lanes, 4 bytes for each lane.
#include "experiment.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

class Access : public testing::Test {
 protected:
  static const std::vector<Point>& all() {
    static const std::vector<Point> points = [] {
      const auto bench = simulated_workbench(sim::sm_90, 2);
      return find_experiment("access")->run(*bench, {{"n", "1024"}}).points;
    }();
    return points;
  }
  static const Point& at(const char* name, const char* chip, const char* param, int64_t value) {
    return point(all(), name, {{"chip", chip}, {param, value}});
  }
  static double transactions(const char* name, const char* chip, const char* param, int64_t value) {
    return figure(at(name, chip, param, value), "transactions");
  }
};

TEST_F(Access, IsAsPredictedOnEveryChip) { expect_all_right(all()); }

TEST_F(Access, OfMisalignedNeighbours) {
  EXPECT_EQ(transactions("offset", "sm_90", "offset", 0), 4);  // 128 bytes: 4 sectors of 32
  EXPECT_EQ(transactions("offset", "sm_90", "offset", 1), 5);
  EXPECT_EQ(transactions("offset", "sm_90", "offset", 8), 4);  // a whole sector on
  // c.c. 1.0: one transaction for a half-warp, or one for each lane: "1/8 of the speed".
  EXPECT_EQ(transactions("offset", "cc10", "offset", 16), 2);
  EXPECT_EQ(transactions("offset", "cc10", "offset", 1), 32);
  EXPECT_EQ(figure(at("offset", "cc10", "offset", 1), "efficiency"), 0.125);
  // c.c. 1.2: bytes 4..67 are one segment of 128; 68..131 cross a border: "two transactions".
  EXPECT_EQ(transactions("offset", "cc12", "offset", 1), 3);
  EXPECT_EQ(transactions("offset", "cc12", "offset", 16), 2);
  EXPECT_EQ(transactions("offset", "cc20", "offset", 1), 2);  // two lines of 128
  EXPECT_EQ(transactions("offset", "cc20, L1 off", "offset", 1), 5);
}

TEST_F(Access, OfStrides) {
  EXPECT_EQ(transactions("stride", "sm_90", "stride", 2), 8);
  // Every third of 93 words, 376 bytes: 12 sectors from an aligned start. Warps begin at multiples
  // of 384 bytes, which are whole sectors.
  EXPECT_EQ(transactions("stride", "sm_90", "stride", 3), 12);
  EXPECT_EQ(transactions("stride", "sm_90", "stride", 8), 32);
  EXPECT_EQ(transactions("stride", "sm_90", "stride", 64), 32);
  EXPECT_EQ(transactions("stride", "cc10", "stride", 2), 32);
  EXPECT_EQ(transactions("stride", "cc12", "stride", 2), 2);    // 16 lanes, 128 bytes
  EXPECT_EQ(transactions("stride", "cc12", "stride", 32), 32);  // a segment for each lane
  // "Strided as bad as before": each line of 128 bytes carries 4, or without L1 each sector of 32.
  EXPECT_EQ(figure(at("stride", "cc20", "stride", 32), "efficiency"), 1.0 / 32);
  EXPECT_EQ(figure(at("stride", "cc20, L1 off", "stride", 32), "efficiency"), 1.0 / 8);
}

TEST_F(Access, OfPermutedLanes) {
  EXPECT_EQ(transactions("permuted", "sm_90", "lane_times", 31), 4);
  EXPECT_EQ(transactions("permuted", "cc10", "lane_times", 31), 32);  // "k-th thread, k-th element"
  // Lanes 0..15 times 5 modulo 32 are 0, 5, .. 75: 11 to 16 of both halves; one segment of 128.
  EXPECT_EQ(transactions("permuted", "cc12", "lane_times", 5), 2);
}

TEST_F(Access, OfWideElements) {
  const auto wide = [](const char* chip, int64_t bytes, int64_t offset) {
    return figure(point(all(), "offset", {{"chip", chip}, {"bytes", bytes}, {"offset", offset}}),
                  "transactions");
  };
  EXPECT_EQ(wide("sm_90", 8, 0), 8);
  EXPECT_EQ(wide("sm_90", 16, 0), 16);
  EXPECT_EQ(wide("sm_90", 16, 1), 17);  // half a sector at both ends
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
