// The simulated machine: its results and counters.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include <limits>

#include "run.hpp"

namespace onefold::sim {
namespace ONEFOLD_FILE {

TEST(Sim, CountsWhatAKernelAsksOfMemory) {
  const Report r = run(two_warps, 64, [](Sim m, P x, P y) {
    const auto t = m.thread();
    if (t % 2 == 0) y[t] = x[t] + x[t + 1];
  });
  // Each of the two warps: one branch, two loads and a store by 16 of 32 lanes; each of 4 sectors.
  EXPECT_EQ(r.counters.branches, 2u);
  EXPECT_EQ(r.counters.divergent_branches, 2u);
  EXPECT_EQ(r.counters.global_load, (Traffic{4, 16, 8, 256, 512}));
  EXPECT_EQ(r.counters.global_store, (Traffic{2, 8, 4, 128, 256}));
  EXPECT_EQ(r.counters.warp_instructions, 8u);
  EXPECT_EQ(r.counters.lane_instructions, 2u * (32 + 3 * 16));
  EXPECT_EQ(kinds(r), Kinds{});
}

TEST(Sim, TakesACompoundAssignmentAsTwoLoadsAndAStore) {
  const Report r = run(one_warp, 64, [](Sim m, P x, P) {
    const auto t = m.thread();
    x[t] += x[t + 32];
  });
  EXPECT_EQ(r.counters.global_load.requests, 2u);
  EXPECT_EQ(r.counters.global_store.requests, 1u);
}

TEST(Sim, NamesTheLineOfEachSubscript) {
  const unsigned line = __LINE__ + 1;
  const Report r = run(one_warp, 64, [](Sim m, P x, P y) { y[m.thread()] = x[m.thread() + 0u]; });
  ASSERT_EQ(r.lines.size(), 2u);
  for (const auto& [site, c] : r.lines) {
    EXPECT_EQ(site.line, line);
    EXPECT_NE(std::string_view(site.file).find("test_sim.cpp"), std::string_view::npos);
  }
  EXPECT_NE(r.lines.begin()->first.column, r.lines.rbegin()->first.column);
}

TEST(Sim, AlignsLanesOfALoopWithARareSlowPath) {
  // 8 rounds. In round r, lane r alone makes one more load. If the warp comes together again after
  // this slow path, it makes 8 common loads and 8 single loads.
  const Report r = run(one_warp, 64, [](Sim m, P x, P y) {
    const auto t = m.thread();
    int s = 0;
    for (unsigned k = 0; k < 8; ++k) {
      s += x[t];
      if (t == k) s += x[t + 32];
    }
    y[t] = s;
  });
  EXPECT_EQ(r.counters.global_load.requests, 16u);
  EXPECT_EQ(r.counters.divergent_branches, 8u);
}

TEST(Sim, GivesEachShuffleWhatItsLaneAsksFor) {
  std::vector<int> y;
  run(
      one_warp, 32,
      [](Sim m, P x, P y) {
        const auto t = m.thread();
        const int v = x[t];
        y[t] = m.shuffle_down(v, 3) + 100 * m.shuffle_up(v, 1) + 10000 * m.shuffle_xor(v, 5) +
               1000000 * m.shuffle(v, 7);
      },
      1, &y);
  for (int t = 0; t < 32; ++t) {
    const int down = t + 3 < 32 ? t + 3 : t, up = t > 0 ? t - 1 : t;
    EXPECT_EQ(y[unsigned(t)], down + 100 * up + 10000 * (t ^ 5) + 7000000);
  }
}

TEST(Sim, VotesAndFoldsOverTheWarp) {
  std::vector<int> y;
  run(
      one_warp, 32,
      [](Sim m, P x, P y) {
        const auto t = m.thread();
        const int v = x[t];
        const bool odd = v % 2 != 0;
        y[t] = int(m.ballot(odd) == 0xaaaaaaaau) + 2 * m.any(v == 9) + 4 * m.all(v < 31) +
               8 * (m.redux_add(v) == 31 * 16) + 16 * (m.redux_min(v) == 0) +
               32 * (m.redux_max(v) == 31);
      },
      1, &y);
  for (const int v : y) EXPECT_EQ(v, 1 + 2 + 0 + 8 + 16 + 32);
}

// Under the sanitizers, an addition that overflows would end the run.
TEST(Sim, WrapsIntegersAround) {
  constexpr int most = std::numeric_limits<int>::max(), least = std::numeric_limits<int>::min();
  std::vector<int> y;
  run(
      one_warp, 32,
      [](Sim m, P x, P y) {
        const auto t = m.thread();
        x[t] = most;
        y[t] = most;
        y[t] += x[t];
        const int v = x[t] + 1;
        if (t == 1) y[t] = v;
        if (t == 2) m.add(y, 2, 3);
      },
      1, &y);
  EXPECT_EQ(y[0], -2);
  EXPECT_EQ(y[1], least);
  EXPECT_EQ(y[2], 1);
}

TEST(Sim, LetsBlocksWaitForOneAnotherInACooperativeLaunch) {
  for (unsigned schedule = 0; schedule < 4; ++schedule) {
    std::vector<int> y;
    const Report r = run(
        {.grid = 4, .block = 64, .cooperative = true}, 256,
        [](Sim m, P x, P y) {
          const auto i = m.block() * m.threads() + m.thread();
          y[i] = x[i];
          m.sync_grid({});
          const int v = y[255u - i];
          m.sync_grid({});
          y[i] = v;
        },
        schedule, &y);
    EXPECT_EQ(kinds(r), Kinds{});
    for (int i = 0; i < 256; ++i) EXPECT_EQ(y[unsigned(i)], 255 - i);
  }
}

TEST(Sim, RunsLockStepAsChipsBeforeVoltaDid) {
  const auto kernel = [](Sim m, P x, P y) {
    auto s = shared<int, 64, struct s_>(m);
    const auto t = m.thread();
    s[t] = x[t];
    s[t + 32] = x[t + 32];
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
    y[t] = s[0];
  };
  std::vector<int> y;
  EXPECT_EQ(kinds(run(one_warp, 64, kernel, 0, &y)), Kinds{FlawKind::race});
  EXPECT_EQ(y[0], 63 * 32);
  EXPECT_TRUE(run(one_warp, 64, kernel, 1, &y).has(FlawKind::race));
  EXPECT_NE(y[0], 63 * 32);
}

TEST(Chip, HoldsBlocksUntilALimitIsReached) {
  const auto held = [](unsigned chip, unsigned threads, unsigned registers, unsigned shared) {
    const Occupancy o = occupancy(chips[chip], threads, registers, shared);
    return std::tuple(o.blocks, o.percent, o.limit);
  };
  EXPECT_EQ(held(1, 256, 16, 4096), std::tuple(4u, 100., "threads"));  // text 002's example
  EXPECT_EQ(held(1, 256, 17, 0), std::tuple(3u, 75., "registers"));
  EXPECT_EQ(held(0, 96, 10, 0), std::tuple(6u, 75., "registers"));  // 3 warps have those of 4
  EXPECT_EQ(held(0, 768, 8, 0), std::tuple(0u, 0., "threads"));     // no such block
  EXPECT_EQ(held(2, 192, 21, 0), std::tuple(7u, 87.5, "registers"));
  EXPECT_EQ(held(3, 256, 32, 0), std::tuple(8u, 100., "threads"));
  EXPECT_EQ(held(3, 256, 40, 0), std::tuple(6u, 75., "registers"));  // 51 warps fit, so 48
  EXPECT_EQ(held(3, 32, 16, 0), std::tuple(32u, 50., "blocks"));
  EXPECT_EQ(held(3, 128, 32, 48 << 10), std::tuple(4u, 25., "shared"));
}

TEST(Chip, IsAsTheCourseSays) {
  std::ifstream in(ONEFOLD_SOURCE_DIR "/docs/course/chips.md");
  std::map<std::string, std::vector<std::string>> rows;
  for (std::string line; std::getline(in, line);) {
    std::istringstream cells(line);
    std::string skipped, name, cell;
    if (!std::getline(cells, skipped, '|') || !std::getline(cells, name, '|')) continue;
    while (std::getline(cells, cell, '|')) rows[name].push_back(cell);
  }
  const auto holds = [&](const char* row, double (*value)(const Chip&)) {
    ASSERT_GE(rows[row].size(), 4u) << row;
    for (std::size_t k = 0; k < chips.size(); ++k) {
      const std::string& text = rows[row][k];
      const double last =
          std::stod(text.substr(text.find_first_of("0123456789", text.rfind("or ") + 1)));
      EXPECT_EQ(last, value(chips[k])) << row << chips[k].name;
    }
  };
  holds(" threads of a block, at most ", [](const Chip& c) { return double(c.block_threads); });
  holds(" threads of a multiprocessor ", [](const Chip& c) { return double(c.threads); });
  holds(" blocks of a multiprocessor ", [](const Chip& c) { return double(c.blocks); });
  holds(" registers of a multiprocessor ", [](const Chip& c) { return double(c.registers); });
  holds(" shared memory of a multiprocessor ", [](const Chip& c) { return c.shared / 1024.; });
  holds(" multiprocessors ", [](const Chip& c) { return double(c.multiprocessors); });
  holds(" bandwidth of memory, GB/s ", [](const Chip& c) { return c.gbps; });
  holds(" f32 operations a second, 10^9 ", [](const Chip& c) { return c.gflops; });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::sim
