// Wavefronts of shared memory, derived by hand: a warp that reads one word or vector a lane.
#include "experiment.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

double waves(const std::vector<Point>& all, const char* name,
             const std::vector<std::pair<std::string, Param>>& params) {
  return figure(point(all, name, params), "wavefronts_per_request");
}

TEST(Banks, AreAllAsPredictedOnEveryChip) {
  for (const sim::Chip& chip : sim::chips) {
    SCOPED_TRACE(chip.name);
    expect_all_right(points_of("banks", std::string(chip.name).c_str()));
  }
}

TEST(Banks, OfStrides) {
  const auto all = points_of("banks");
  // Words 0, 6, 12, .. 186: banks 0, 6, 12, 18, 24, 30, 4, .. are the 16 even ones, twice each.
  EXPECT_EQ(waves(all, "stride", {{"c", 6}}), 2);
  // Words 0, 24, 48, ..: banks 0, 24, 16, 8 and again: 4 banks for 32 lanes.
  EXPECT_EQ(waves(all, "stride", {{"c", 24}}), 8);
  EXPECT_EQ(waves(all, "stride", {{"c", 32}}), 32);  // bank 0 for all
  EXPECT_EQ(waves(all, "stride", {{"c", 33}}), 1);   // banks 0, 1, 2, ..
}

TEST(Banks, OfTilesColumns) {
  const auto all = points_of("banks");
  EXPECT_EQ(waves(all, "column", {{"row", 32}, {"k", 5}}), 32);
  EXPECT_EQ(waves(all, "column", {{"row", 33}, {"k", 5}}), 1);
}

TEST(Banks, OfHalfWarpsOnOldChips) {
  const auto all = points_of("banks", "cc12");
  EXPECT_EQ(waves(all, "offset", {{"offset", 3}}), 2);  // one for each half-warp
  // "a 16-way conflict": each half-warp has all 16 lanes in one of 16 banks.
  EXPECT_EQ(waves(all, "column", {{"row", 16}, {"k", 0}}), 32);
  EXPECT_EQ(waves(all, "column", {{"row", 17}, {"k", 0}}), 2);
}

TEST(Banks, BroadcastOneWordAtATimeOnOldChips) {
  const auto all = points_of("banks", "cc10");
  EXPECT_EQ(waves(all, "quotient", {{"c", 16}}), 2);  // all 16 read one word
  // 8 words, 2 lanes each. First: both lanes of one word and one lane of the others. Then the rest.
  EXPECT_EQ(waves(all, "quotient", {{"c", 2}}), 4);
  // 2 words, 8 lanes each: the first word and a lane of the second, then the second.
  EXPECT_EQ(waves(all, "quotient", {{"c", 8}}), 4);
  EXPECT_EQ(waves(points_of("banks"), "quotient", {{"c", 8}}), 1);  // "on 2.x never"
}

TEST(Banks, OfWideElements) {
  const auto all = points_of("banks");
  EXPECT_EQ(waves(all, "wide", {{"bytes", 8}}), 2);   // 256 bytes by 32 banks of 4
  EXPECT_EQ(waves(all, "wide", {{"bytes", 16}}), 4);  // 512
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
