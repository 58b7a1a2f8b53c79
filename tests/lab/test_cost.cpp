// The cost of one warp-level access, derived by hand for each chip.
#include <gtest/gtest.h>

#include "onefold/machine/sim/cost.hpp"

namespace onefold::sim {
namespace ONEFOLD_FILE {

template <class Address>
Request lanes(unsigned from, unsigned to, unsigned bytes, Address address) {
  Request r;
  r.bytes = bytes;
  for (unsigned l = from; l < to; ++l) r.add(l, address(l));
  return r;
}
Request strided(unsigned bytes, unsigned stride, uint64_t first = 0) {
  return lanes(0, 32, bytes, [&](unsigned l) { return first + uint64_t{l} * stride; });
}
const Chip& cc10 = chips[0];
const Chip& cc12 = chips[1];
const Chip& cc20 = chips[2];

TEST(GlobalCost, CountsSectorsOfCoalescedLoads) {
  // 32 lanes x 4, 8, 16 bytes in a row: 128, 256, 512 bytes in sectors of 32.
  EXPECT_EQ(global_cost(sm_90, strided(4, 4)).count, 4u);
  EXPECT_EQ(global_cost(sm_90, strided(8, 8)).count, 8u);
  EXPECT_EQ(global_cost(sm_90, strided(16, 16)).count, 16u);
}

TEST(GlobalCost, CountsOneMoreSectorWhenMisaligned) {
  const Cost c = global_cost(sm_90, strided(4, 4, 4));  // bytes 4 .. 131
  EXPECT_EQ(c.count, 5u);
  EXPECT_EQ(c.ideal, 4u);
  EXPECT_EQ(c.moved, 160u);
}

TEST(GlobalCost, GrowsWithTheStrideUpToASectorALane) {
  EXPECT_EQ(global_cost(sm_90, strided(4, 8)).count, 8u);
  EXPECT_EQ(global_cost(sm_90, strided(4, 32)).count, 32u);
  EXPECT_EQ(global_cost(sm_90, strided(4, 4096)).count, 32u);
}

TEST(GlobalCost, IsOneSectorForABroadcast) {
  EXPECT_EQ(global_cost(sm_90, strided(4, 0)).count, 1u);
  EXPECT_EQ(global_cost(sm_90, strided(4, 0)).ideal, 1u);
}

TEST(GlobalCost, OnCc10IsOneTransactionAHalfWarpInOrderElseOneALane) {
  EXPECT_EQ(global_cost(cc10, strided(4, 4)).count, 2u);
  EXPECT_EQ(global_cost(cc10, strided(16, 16)).count, 4u);  // two of 128 bytes a half-warp
  // Off by one element, or in any other order: 32 bytes a lane, an eighth of the speed.
  EXPECT_EQ(global_cost(cc10, strided(4, 4, 4)).count, 32u);
  EXPECT_EQ(global_cost(cc10, strided(4, 4, 4)).moved, 1024u);
  EXPECT_EQ(global_cost(cc10, lanes(0, 32, 4, [](unsigned l) { return (l ^ 1u) * 4ull; })).count,
            32u);
  // Some lanes may be idle.
  EXPECT_EQ(global_cost(cc10, lanes(3, 16, 4, [](unsigned l) { return l * 4ull; })).count, 1u);
}

TEST(GlobalCost, OnCc12IsTheFewestSegmentsInAnyOrder) {
  EXPECT_EQ(global_cost(cc12, strided(4, 4)).count, 2u);  // 64 bytes a half-warp
  EXPECT_EQ(global_cost(cc12, strided(4, 4)).moved, 128u);
  EXPECT_EQ(global_cost(cc12, lanes(0, 32, 4, [](unsigned l) { return (l ^ 1u) * 4ull; })).count,
            2u);
  // Off by one element: bytes 4..67 lie in one 128-byte segment; 68..131 in two.
  const Cost c = global_cost(cc12, strided(4, 4, 4));
  EXPECT_EQ(c.count, 1u + 2u);
  EXPECT_EQ(c.moved, 128u + 64u + 32u);
  // Stride of two elements: a half-warp takes one whole 128-byte segment.
  EXPECT_EQ(global_cost(cc12, strided(4, 8)).count, 2u);
  EXPECT_EQ(global_cost(cc12, strided(4, 8)).moved, 256u);
}

TEST(GlobalCost, OnCc20IsLinesOf128Bytes) {
  EXPECT_EQ(global_cost(cc20, strided(4, 4)).count, 1u);
  EXPECT_EQ(global_cost(cc20, strided(4, 4, 4)).count, 2u);
  EXPECT_EQ(global_cost(cc20, strided(4, 128)).count, 32u);
}

TEST(SharedCost, IsOneWavefrontForAnyOffsetAndOddStride) {
  for (const unsigned offset : {0u, 1u, 7u}) {
    EXPECT_EQ(shared_cost(sm_90, strided(4, 4, offset * 4)).count, 1u) << offset;
  }
  for (const unsigned c : {1u, 3u, 5u, 33u}) {
    EXPECT_EQ(shared_cost(sm_90, strided(4, 4 * c)).count, 1u) << c;
    EXPECT_EQ(shared_cost(cc12, strided(4, 4 * c)).count, 2u) << c;  // one a half-warp
  }
}

TEST(SharedCost, IsAsManyWavefrontsAsWordsInTheFullestBank) {
  // Stride 2: lanes 0 and 16 share bank 0. Stride 32: all lanes share it.
  EXPECT_EQ(shared_cost(sm_90, strided(4, 8)).count, 2u);
  EXPECT_EQ(shared_cost(sm_90, strided(4, 16)).count, 4u);
  EXPECT_EQ(shared_cost(sm_90, strided(4, 128)).count, 32u);
  EXPECT_EQ(shared_cost(sm_90, strided(4, 128)).ideal, 1u);
  // 16 banks, half-warps: a column of a tile 16 wide conflicts 16 ways in each half.
  EXPECT_EQ(shared_cost(cc10, strided(4, 64)).count, 32u);
}

TEST(SharedCost, IsTwoAndFourWavefrontsForWideElements) {
  EXPECT_EQ(shared_cost(sm_90, strided(8, 8)).count, 2u);
  EXPECT_EQ(shared_cost(sm_90, strided(8, 8)).ideal, 2u);
  EXPECT_EQ(shared_cost(sm_90, strided(16, 16)).count, 4u);
}

TEST(SharedCost, BroadcastsManyWordsSince20AndOneBefore) {
  const auto shared_by = [](unsigned c) {
    return lanes(0, 32, 4, [c](unsigned l) { return uint64_t{l / c} * 4; });
  };
  for (const unsigned c : {2u, 4u, 16u, 32u}) EXPECT_EQ(shared_cost(cc20, shared_by(c)).count, 1u);
  // s[t / 16], s[t / 32]: a half-warp reads one word. s[t / 2]: one of 8 words goes to both of its
  // lanes and the others to one each; the 7 left follow in a second wavefront.
  EXPECT_EQ(shared_cost(cc10, shared_by(16)).count, 2u);
  EXPECT_EQ(shared_cost(cc10, shared_by(32)).count, 2u);
  EXPECT_EQ(shared_cost(cc10, shared_by(2)).count, 4u);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::sim
