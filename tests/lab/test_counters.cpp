// Counters of rungs, derived by hand: one block of 256 threads, 8 warps, ints, sm_90.
//
// A step of a tree has 128, 64, ..., 1 threads that add; an addition is two loads and a store.
#include <gtest/gtest.h>

#include "lab/ladder.hpp"
#include "lab/simulate.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

sim::Counters count(std::string_view rung, Size n) {
  const Entry* e = find_rung(reduce_ladder(), rung);
  const auto r =
      simulate(*e, false, {.n = n, .block = 256, .grid = 1, .schedules = 1}, elements(n, 1));
  EXPECT_TRUE(r->correct);
  return r->report.counters;
}

// Steps 1, 2, 4, 8, 16 have a thread in each of the 8 warps, then in every second, fourth, one.
constexpr unsigned warps_of_neighbours = 5 * 8 + 4 + 2 + 1;
// Threads 0 .. 127, 0 .. 63, 0 .. 31: 4, 2 and 1 warps; 16, 8, 4, 2, 1: one warp, in part.
constexpr unsigned warps_of_first_threads = 4 + 2 + 1 + 5;

TEST(Counters, OfNeighbored) {
  const auto c = count("reduce_neighbored", 256);
  // Of a warp's lanes every 2nd, 4th, 8th: 4 sectors of 32 bytes. Every 16th: 2. One lane: 1.
  constexpr unsigned sectors = 3 * 8 * 4 + 8 * 2 + 8 + 4 + 2 + 1;
  EXPECT_EQ(c.global_load.requests, 2 * warps_of_neighbours + 1);  // and data[0] at the end
  EXPECT_EQ(c.global_load.count, 2 * sectors + 1);
  EXPECT_EQ(c.global_store.requests, warps_of_neighbours + 1);
  EXPECT_EQ(c.global_store.count, sectors + 1);
  EXPECT_EQ(c.global_load.bytes, (2 * 255 + 1) * 4u);
  // 8 steps by 8 warps; the bounds test where a thread adds; t == 0 by 8 warps.
  EXPECT_EQ(c.branches, 64 + warps_of_neighbours + 8);
  // Wherever a thread adds, others of its warp do not; at the end thread 0 alone stores.
  EXPECT_EQ(c.divergent_branches, warps_of_neighbours + 1);
  EXPECT_EQ(c.barriers, 64u);
  EXPECT_EQ(c.barrier_rounds, 8u);
}

TEST(Counters, OfNeighboredLess) {
  const auto c = count("reduce_neighbored_less", 256);
  // Partners 2, 4, 8 elements apart: a full warp covers 8, 16, 32 sectors; 16 and fewer lanes one
  // each.
  constexpr unsigned sectors = 4 * 8 + 2 * 16 + 32 + 16 + 8 + 4 + 2 + 1;
  EXPECT_EQ(c.global_load.requests, 2 * warps_of_first_threads + 1);
  EXPECT_EQ(c.global_load.count, 2 * sectors + 1);
  EXPECT_EQ(c.global_store.requests, warps_of_first_threads + 1);
  EXPECT_EQ(c.global_store.count, sectors + 1);
  EXPECT_EQ(c.branches, 64 + warps_of_first_threads + 8);
  // Only the last five steps diverge, as tutorial 001 says, and thread 0's store.
  EXPECT_EQ(c.divergent_branches, 5u + 1);
}

TEST(Counters, OfInterleaved) {
  const auto c = count("reduce_interleaved", 256);
  // 32 lanes in a row: 4 sectors. 16: 2. 8 and fewer: 1.
  constexpr unsigned sectors = (4 + 2 + 1) * 4 + 2 + 1 + 1 + 1 + 1;
  EXPECT_EQ(c.global_load.requests, 2 * warps_of_first_threads + 1);
  EXPECT_EQ(c.global_load.count, 2 * sectors + 1);
  EXPECT_EQ(c.global_store.count, sectors + 1);
  EXPECT_EQ(c.branches, 64 + warps_of_first_threads + 8);
  EXPECT_EQ(c.divergent_branches, 5u + 1);
}

TEST(Counters, OfModulo) {
  const auto c = count("modulo", 256);
  EXPECT_EQ(c.global_load, (sim::Traffic{8, 32, 32, 1024, 1024}));
  EXPECT_EQ(c.global_store, (sim::Traffic{1, 1, 1, 4, 32}));
  // The lanes that add read different banks: multiples of 2, 4, .. 16, or one lane.
  EXPECT_EQ(c.shared_load.requests, 2 * warps_of_neighbours + 1);
  EXPECT_EQ(c.shared_load.count, 2 * warps_of_neighbours + 1);
  EXPECT_EQ(c.shared_store.requests, warps_of_neighbours + 8);  // each warp stores what it loaded
  EXPECT_EQ(c.shared_store.count, warps_of_neighbours + 8);
  EXPECT_EQ(c.branches, 8 + 64 + 8u);  // i < n, the steps, t == 0
  EXPECT_EQ(c.divergent_branches, warps_of_neighbours + 1);
  EXPECT_EQ(c.barriers, 8 * 9u);
  // 8 loads, 8 stores, the additions, the barriers, the branches, the last load and store.
  EXPECT_EQ(c.warp_instructions, 8 + 8 + 3 * warps_of_neighbours + 72 + 80 + 2);
  EXPECT_EQ(c.lane_instructions, (1u + 1 + 9 + 10) * 256 + 3 * 255 + 2);
}

TEST(Counters, OfStridedIndex) {
  const auto c = count("strided_index", 256);
  // With lanes 2, 4, 8 words apart, 2, 4, 8 lanes share a bank. 16 lanes 16 apart: 8 to each of two
  // banks. 8, 4, 2, 1 lanes 32 and more apart: all in one bank.
  constexpr unsigned wavefronts = 4 * 2 + 2 * 4 + 8 + 8 + 8 + 4 + 2 + 1;
  EXPECT_EQ(c.shared_load.requests, 2 * warps_of_first_threads + 1);
  EXPECT_EQ(c.shared_load.count, 2 * wavefronts + 1);
  EXPECT_EQ(c.shared_load.ideal, 2 * warps_of_first_threads + 1);
  EXPECT_EQ(c.shared_store.requests, warps_of_first_threads + 8);
  EXPECT_EQ(c.shared_store.count, wavefronts + 8);
  EXPECT_EQ(c.branches, 8 + 64 + 8u);
  EXPECT_EQ(c.divergent_branches, 5u + 1);
}

TEST(Counters, OfSequential) {
  const auto c = count("sequential", 256);
  EXPECT_EQ(c.shared_load.requests, 2 * warps_of_first_threads + 1);
  EXPECT_EQ(c.shared_load.count, c.shared_load.requests);  // no conflicts
  EXPECT_EQ(c.shared_store.count, warps_of_first_threads + 8);
  EXPECT_EQ(c.branches, 8 + 64 + 8u);
  EXPECT_EQ(c.divergent_branches, 5u + 1);
}

TEST(Counters, OfFirstAddOnLoad) {
  const auto c = count("first_add_on_load", 512);
  EXPECT_EQ(c.global_load, (sim::Traffic{16, 64, 64, 2048, 2048}));
  EXPECT_EQ(c.shared_load.count, 2 * warps_of_first_threads + 1);
  EXPECT_EQ(c.branches, 16 + 64 + 8u);
  EXPECT_EQ(c.divergent_branches, 5u + 1);
  EXPECT_EQ(c.barriers, 8 * 9u);
}

TEST(Counters, OfLastWarpUnrolledAndTemplated) {
  for (const char* rung : {"last_warp_unrolled", "templated"}) {
    const auto c = count(rung, 512);
    EXPECT_EQ(c.shared_load.count, 2 * warps_of_first_threads + 1);
    EXPECT_EQ(c.shared_store.count, warps_of_first_threads + 8);
    // Two bounds tests; steps 128 and 64 by 8 warps; t < 32; six steps by one warp; t == 0.
    EXPECT_EQ(c.branches, 16 + 16 + 8 + 6 + 8u);
    EXPECT_EQ(c.divergent_branches, 5u + 1);
    EXPECT_EQ(c.barriers, 8 * 3u);  // "this saves work in all warps": 72 before
    // 16 loads, 8 stores, additions, barriers, branches, six sync_warp, the last load and store.
    EXPECT_EQ(c.warp_instructions, 16 + 8 + 3 * warps_of_first_threads + 24 + 54 + 6 + 2);
  }
}

TEST(Counters, OfManyElementsAThread) {
  const auto c = count("many_elements_a_thread", 1024);
  // First launch: each warp takes two pairs and asks five times whether it is inside. Second
  // launch, n = 1: 8 warps ask, thread 0 loads, asks for its partner and asks again.
  EXPECT_EQ(c.global_load.requests, 8 * 4 + 1u);
  EXPECT_EQ(c.global_load.count, 8 * 4 * 4 + 1u);
  EXPECT_EQ(c.branches, (8 * 5 + 30 + 8) + (8 + 1 + 1 + 30 + 8u));  // 30: 16 + 8 + 6, the tree
  EXPECT_EQ(c.divergent_branches, 2 * (5u + 1) + 1);
  EXPECT_EQ(c.shared_load.count, 2 * (2 * warps_of_first_threads + 1));
  EXPECT_EQ(c.barriers, 2 * 8 * 3u);
}

TEST(Counters, OfShuffleTwoLevel) {
  const auto c = count("shuffle_two_level", 256);
  EXPECT_EQ(c.global_load, (sim::Traffic{8, 32, 32, 1024, 1024}));
  EXPECT_EQ(c.shared_store, (sim::Traffic{8, 8, 8, 32, 1024}));  // a lane of each warp
  EXPECT_EQ(c.shared_load, (sim::Traffic{1, 1, 1, 32, 128}));    // 8 lanes of the first
  // i < n, first lane, first warp, t == 0 by 8 warps; t < 8 by one.
  EXPECT_EQ(c.branches, 4 * 8 + 1u);
  EXPECT_EQ(c.divergent_branches, 8 + 1 + 1u);
  EXPECT_EQ(c.barriers, 8u);
  // 5 shuffles by 8 warps, 3 by one; loads and stores 8 + 8 + 1 + 1.
  EXPECT_EQ(c.warp_instructions, 40 + 3 + 18 + 8 + 33u);
  EXPECT_EQ(c.lane_instructions, 40 * 32 + 3 * 32 + (256 + 8 + 8 + 1) + 256 + (4 * 256 + 32u));
}

// One block over n ints, as derived above.
struct Counted {
  const char* rung;
  unsigned n, loads, sectors;
  unsigned shared_loads, wavefronts;  // of those loads
  unsigned divergent_branches, barriers;
};
constexpr Counted table[] = {{"first_add_on_load", 512, 16, 64, 25, 25, 6, 72},
                             {"last_warp_unrolled", 512, 16, 64, 25, 25, 6, 24},
                             {"many_elements_a_thread", 1024, 33, 129, 50, 50, 13, 48},
                             {"modulo", 256, 8, 32, 95, 95, 48, 72},
                             {"reduce_interleaved", 256, 25, 69, 0, 0, 6, 64},
                             {"reduce_neighbored", 256, 95, 255, 0, 0, 48, 64},
                             {"reduce_neighbored_less", 256, 25, 255, 0, 0, 6, 64},
                             {"sequential", 256, 8, 32, 25, 25, 6, 72},
                             {"shuffle_two_level", 256, 8, 32, 1, 1, 10, 8},
                             {"strided_index", 256, 8, 32, 25, 95, 6, 72},
                             {"templated", 512, 16, 64, 25, 25, 6, 24}};
TEST(Counters, OfElevenRungs) {
  for (const Counted& x : table) {
    const auto c = count(x.rung, x.n);
    EXPECT_EQ(c.global_load.requests, x.loads) << x.rung;
    EXPECT_EQ(c.global_load.count, x.sectors) << x.rung;
    EXPECT_EQ(c.shared_load.requests, x.shared_loads) << x.rung;
    EXPECT_EQ(c.shared_load.count, x.wavefronts) << x.rung;
    EXPECT_EQ(c.divergent_branches, x.divergent_branches) << x.rung;
    EXPECT_EQ(c.barriers, x.barriers) << x.rung;
  }
}

TEST(Counters, OfTicket) {
  const auto c = count("ticket", 256);
  EXPECT_EQ(c.atomics, 1u);
  EXPECT_EQ(c.fences, 2u);  // one before the atomic, one after it
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
