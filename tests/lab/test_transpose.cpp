// Transpositions: every element is in its place for every shape; the costs were derived by hand.
#include <set>

#include "experiment.hpp"
#include "lab/experiment/transpose_camping.hpp"
#include "lab/rung/tile.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

const Point& usual(const std::vector<Point>& all, const char* name, const char* type = "f32",
                   const char* shape = "192x192") {
  return point(all, name,
               {{"shape", shape}, {"type", type}, {"tile", int64_t{32}}, {"rows", int64_t{8}}});
}

TEST(Transpose, IsExactWithoutRacesForTheDefaults) {
  const auto all = points_of("transpose");
  expect_all_right(all);
  // Tiles of 16, 32 and 48 with every number of rows: 5, 6 and 8.
  const auto tiled = [&](const char* name) {
    return std::count_if(all.begin(), all.end(), [&](const Point& p) {
      return p.name == name && p.params[1].second == Param{"f32"};
    });
  };
  EXPECT_EQ(tiled("padded"), 2 * (5 + 6 + 8));
  EXPECT_EQ(tiled("swizzled"), 2 * (5 + 6));

  // 192 x 192 in tiles of 32 with 8 rows: 36 blocks of 8 warps, 4 turns each. A row of 32 f32 is 4
  // sectors.
  constexpr unsigned requests = 36 * 8 * 4;
  const auto& copy = usual(all, "copy").report->counters;
  EXPECT_EQ(copy.global_load, (sim::Traffic{requests, requests * 4, requests * 4, 147456, 147456}));
  EXPECT_EQ(copy.global_store, copy.global_load);
  // In a column, each lane takes a sector of its own.
  const auto& naive = usual(all, "naive").report->counters;
  EXPECT_EQ(naive.global_load.count, requests * 4);
  EXPECT_EQ(naive.global_store.count, requests * 32);
  const auto& tiles = usual(all, "tiled").report->counters;
  EXPECT_EQ(tiles.global_store.count, requests * 4);
  EXPECT_EQ(tiles.shared_load.count, requests * 32);  // a column of the tile lies in one bank
  EXPECT_EQ(usual(all, "padded").report->counters.shared_load.count, requests);
  EXPECT_EQ(usual(all, "swizzled").report->counters.shared_load.count, requests);
  // In f64 a row of 32 elements is 8 sectors.
  EXPECT_EQ(usual(all, "padded", "f64").report->counters.global_load.count, requests * 8);

  // 16-byte vectors: 16 sectors a request, a quarter of the requests; its tile has no conflicts.
  const auto& v = point(all, "vectors", {{"shape", "192x192"}, {"type", "f32"}}).report->counters;
  EXPECT_EQ(v.global_load.requests, requests / 4);
  EXPECT_EQ(v.global_load.count, requests * 4);
  EXPECT_EQ(v.global_store.count, requests * 4);
  EXPECT_EQ(v.shared_load.count, v.shared_load.requests);
  EXPECT_EQ(v.shared_store.count, v.shared_store.requests * 4);
  // The vectors are transposed before. So shared memory is also written and read in whole vectors;
  // each request takes 4 wavefronts for its 512 bytes.
  const auto& q =
      point(all, "squares_in_order", {{"shape", "192x192"}, {"type", "f32"}}).report->counters;
  EXPECT_EQ(q.global_load, v.global_load);
  EXPECT_EQ(q.global_store, v.global_store);
  EXPECT_EQ(q.shared_store.requests, requests / 4);
  EXPECT_EQ(q.shared_store.count, requests);
  EXPECT_EQ(q.shared_load, q.shared_store);
  const auto& r = point(all, "registers", {{"shape", "192x192"}, {"type", "f32"}}).report->counters;
  EXPECT_EQ(r.global_load.count, requests * 4);
  EXPECT_EQ(r.global_store.count, requests * 4);
  EXPECT_EQ(r.shared_load.requests, 0u);
}

TEST(Transpose, IsExactForAwkwardShapes) {
  for (const char* shape : {"1x1", "1x67", "33x5", "49x47", "64x100", "130x8"}) {
    SCOPED_TRACE(shape);
    expect_all_right(points_of("transpose", "sm_90", {{"n", shape}}));
  }
}

// Stands for a block's number; needs no machine.
struct Numbered {
  unsigned number;
  unsigned block() const { return number; }
};

TEST(Transpose, TakesEachTileOnceInEveryOrder) {
  for (const Sizes shape : {Sizes{{1, 1}}, Sizes{{33, 19}}, Sizes{{160, 640}}, Sizes{{701, 333}}}) {
    const auto down = static_cast<unsigned>((shape[0] + 9) / 10);
    const auto across = static_cast<unsigned>((shape[1] + 9) / 10);
    std::set<std::pair<unsigned, unsigned>> squares, diagonals, columns;
    for (unsigned b = 0; b < down * across; ++b) {
      const Corner s = corner<Order::squares, 10>(Numbered{b}, shape);
      const Corner d = corner<Order::diagonals, 10>(Numbered{b}, shape);
      const Corner c = corner<Order::columns, 10>(Numbered{b}, shape);
      EXPECT_EQ(c.row, b % down * 10);  // the next tile is the next in a row of the result
      EXPECT_TRUE(c.column < shape[1]);
      EXPECT_TRUE(s.row < shape[0] && s.column < shape[1]);
      EXPECT_TRUE(d.row < shape[0] && d.column < shape[1]);
      squares.emplace(s.row, s.column), diagonals.emplace(d.row, d.column);
      columns.emplace(c.row, c.column);
    }
    EXPECT_EQ(squares.size(), down * across);
    EXPECT_EQ(diagonals.size(), down * across);
    EXPECT_EQ(columns.size(), down * across);
  }
}

TEST(Transpose, PaysForEachLaneOnOldChips) {
  // On c.c. 1.0 a half-warp's row of 16 f32 is one transaction, and its column is 16.
  const auto all = points_of("transpose", "cc10", {{"n", "64"}});
  expect_all_right(all);
  constexpr unsigned half_warps = 4 * 8 * 4 * 2;
  EXPECT_EQ(usual(all, "naive", "f32", "64x64").report->counters.global_load.count, half_warps);
  EXPECT_EQ(usual(all, "naive", "f32", "64x64").report->counters.global_store.count,
            half_warps * 16);
  EXPECT_EQ(usual(all, "tiled", "f32", "64x64").report->counters.shared_load.count,
            half_warps * 16);  // "16-way"
  EXPECT_EQ(usual(all, "padded", "f32", "64x64").report->counters.shared_load.count, half_warps);
}

// A row of 4096 f32 is 64 times 256 bytes, so a column of tiles uses one or two of 8 partitions. A
// row of 4000 is 62.5 times 256 bytes, so its columns use all.
TEST(Transpose, CampsInAFewPartitionsWhereRowsAreAPowerOfTwo) {
  const sim::Chip& old = sim::chips[1];
  ASSERT_EQ(old.name, "cc12");
  EXPECT_LT(partitions_busy(old, 4096, false), 1.5);
  EXPECT_GT(partitions_busy(old, 4000, false), 7);
  EXPECT_GT(partitions_busy(old, 4096, true), 7);
  EXPECT_EQ(partitions_busy(sim::sm_90, 4096, true), 0);  // newer chips hash addresses
  EXPECT_NE(camping_text(old).find("of the 8 partitions"), std::string::npos);
  EXPECT_NE(camping_text(sim::chips[0]).find("of the 6 partitions"), std::string::npos);
  EXPECT_EQ(camping_text(sim::sm_90), "");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
