// Releases and atomics on the simulated machine, and how it ends endless waits.
#include <gtest/gtest.h>

#include "run.hpp"

namespace onefold::sim {
namespace ONEFOLD_FILE {

// Like tickets<true, true>, but the value is written at another time.
enum class OutputColumn { before_the_fence, after_the_fence, after_the_ticket };
Report late(OutputColumn when, unsigned schedule) {
  Engine gpu({.schedule = schedule});
  const unsigned zero = 0;
  const std::vector<int> zeros(5);
  const auto y = gpu.allocate<int>("y", 5, zeros.data());
  const auto ticket = gpu.allocate<unsigned>("ticket", 1, &zero);
  launch(gpu, {.grid = 4, .block = 32}, [&] {
    const Sim m;
    if (m.thread() != 0) return;
    const auto write = [&] { y[m.block() + 1] = int(m.block()); };
    if (when == OutputColumn::before_the_fence) write();
    m.fence();
    if (when == OutputColumn::after_the_fence) write();
    const unsigned drawn = m.add(ticket, 0, 1u);
    if (when == OutputColumn::after_the_ticket) write();
    m.fence();
    if (m.branch(drawn != 3)) return;
    int s = 0;
    for (unsigned b = 0; b < 4; ++b) s += y[b + 1];
    y[0] = s;
  });
  return gpu.report();
}

TEST(Sim, FindsWhatIsWrittenAfterTheFenceOfItsRelease) {
  for (unsigned schedule = 0; schedule < 4; ++schedule) {
    EXPECT_EQ(kinds(late(OutputColumn::before_the_fence, schedule)), Kinds{});
    EXPECT_EQ(kinds(late(OutputColumn::after_the_fence, schedule)), Kinds{FlawKind::race});
    EXPECT_EQ(kinds(late(OutputColumn::after_the_ticket, schedule)), Kinds{FlawKind::race});
  }
}

// After a sync_warp, a release by one lane covers the accesses of its whole warp.
TEST(Sim, LetsOneLaneReleaseWhatItsWarpHasWritten) {
  const auto kernel = [](bool synced) {
    return [synced](Sim m, P x, P y) {
      const auto t = m.thread();
      y[m.block() * 32 + t] = 1;
      if (synced) m.sync_warp();
      int drawn = 0;
      if (t == 0) {
        m.fence();
        drawn = m.add(x, 0, 1);
        m.fence();
      }
      if (t == 0 && m.branch(drawn == 1)) y[0] = y[17] + y[32 + 17];
    };
  };
  for (unsigned schedule = 0; schedule < 4; ++schedule) {
    EXPECT_EQ(kinds(run(two_blocks, 64, kernel(true), schedule)), Kinds{});
    EXPECT_TRUE(run(two_blocks, 64, kernel(false), schedule).has(FlawKind::race));
  }
}

TEST(Sim, SeesPlainAccessesThroughTheAtomicsThatFollow) {
  const auto cleared = [](bool synced) {
    return [synced](Sim m, P, P y) {
      auto s = shared<int, 1, struct s_>(m);
      const auto t = m.thread();
      if (t == 0) s[0] = 0;
      if (synced) m.sync();
      m.add(s, 0, 1);
      m.sync();
      y[t] = s[0];
    };
  };
  const auto counted = [](bool synced) {
    return [synced](Sim m, P x, P y) {
      const auto t = m.thread();
      m.add(x, 0, 1);
      if (synced) m.sync();
      if (t == 63) y[t] = x[0];
    };
  };
  for (unsigned schedule = 0; schedule < 6; ++schedule) {
    EXPECT_EQ(kinds(run(two_warps, 64, cleared(true), schedule)), Kinds{}) << schedule;
    EXPECT_TRUE(run(two_warps, 64, cleared(false), schedule).has(FlawKind::race)) << schedule;
    EXPECT_EQ(kinds(run(two_warps, 64, counted(true), schedule)), Kinds{}) << schedule;
    EXPECT_TRUE(run(two_warps, 64, counted(false), schedule).has(FlawKind::race)) << schedule;
  }
}

// Each warp writes and the last one reads, like blocks do; in global or in shared memory.
TEST(Sim, OrdersWarpsOfABlockByFenceAtomicFence) {
  const auto kernel = [](bool release, bool in_shared) {
    return [release, in_shared](Sim m, P x, P y) {
      auto s = shared<int, 1, struct s_>(m);
      const auto t = m.thread();
      if (t == 0) s[0] = 0;
      m.sync();
      y[t] = 1;
      m.sync_warp();
      if (m.lane() != 0) return;
      if (release) m.fence();
      const int drawn = in_shared ? m.add(s, 0, 1) : m.add(x, 0, 1);
      m.fence();
      if (m.branch(drawn != 3)) return;
      int sum = 0;
      for (unsigned k = 0; k < 128; ++k) sum += y[k];
      y[128] = sum;
    };
  };
  for (unsigned schedule = 0; schedule < 6; ++schedule) {
    for (const bool in_shared : {false, true}) {
      std::vector<int> y;
      const Launch four_warps{.grid = 1, .block = 128};
      EXPECT_EQ(kinds(run(four_warps, 129, kernel(true, in_shared), schedule, &y)), Kinds{});
      EXPECT_EQ(y[128], 128);
      EXPECT_EQ(kinds(run(four_warps, 129, kernel(false, in_shared), schedule)),
                Kinds{FlawKind::race});
    }
  }
}

// Each block waits for the flag of block - 1 (or block + 1) and then sets its own flag.
Report chain(bool backwards, bool cooperative, unsigned schedule) {
  return run(
      {.grid = 4, .block = 64, .cooperative = cooperative}, 8,
      [=](Sim m, P x, P) {
        const unsigned b = m.block();
        const bool first = backwards ? b == 0 : b == m.blocks() - 1;
        const unsigned other = backwards ? b - 1 : b + 1;
        if (m.thread() == 0) {
          while (!first && m.branch(m.add(x, other, 0) == int(other))) {
          }
          m.fence();
          m.add(x, b, 100);
        }
        m.sync();
      },
      schedule);
}

TEST(Sim, LetsBlocksThatHaveBegunGoOnWhileOthersWait) {
  for (unsigned schedule = 0; schedule < 8; ++schedule) {
    EXPECT_FALSE(chain(true, false, schedule).has(FlawKind::no_progress)) << schedule;
    EXPECT_FALSE(chain(false, true, schedule).has(FlawKind::no_progress)) << schedule;
  }
}

// Waiting threads yield after some thousand reads, not 65,536.
TEST(Sim, CountsLittleOfAWaitThatSoonEnds) {
  EXPECT_LT(chain(false, true, 1).counters.atomics, 10000u);
}

TEST(Sim, ReportsAWaitForABlockFurtherOn) {
  const Report r = chain(false, false, 1);
  ASSERT_TRUE(r.has(FlawKind::no_progress));
  const auto f = std::find_if(r.flaws.begin(), r.flaws.end(),
                              [](const Flaw& e) { return e.kind == FlawKind::no_progress; });
  EXPECT_EQ(f->block, 0u);
  EXPECT_EQ(f->element, 1u);
  EXPECT_EQ(std::string_view(f->space), "x");
  EXPECT_EQ(f->threads[0], 0u);
}

TEST(Sim, EndsAWaitThatNobodyEnds) {
  for (unsigned schedule = 0; schedule < 3; ++schedule) {
    for (const bool cooperative : {false, true}) {
      const Report r = run(
          {.grid = 2, .block = 64, .cooperative = cooperative}, 8,
          [](Sim m, P x, P) {
            while (m.block() == 1 && m.thread() == 40 && m.branch(m.add(x, 3, 0) == 3)) {
            }
            m.sync();
          },
          schedule);
      EXPECT_EQ(kinds(r), Kinds{FlawKind::no_progress}) << schedule;
      EXPECT_EQ(r.flaws[0].threads, std::vector<unsigned>{40});
    }
  }
}

// The threads that are left go on without end, and another flaw of the kernel may be the reason.
TEST(Sim, EndsALoopBehindABarrierThatThreadsHaveLeft) {
  for (unsigned schedule = 0; schedule < 3; ++schedule) {
    const Report r = run(
        {.grid = 4, .block = 64}, 64,
        [](Sim m, P, P y) {
          if (m.branch(m.thread() == 40)) return;
          m.sync();
          for (int k = 0;; ++k) y[m.thread()] = k;
        },
        schedule);
    ASSERT_EQ(kinds(r), (Kinds{FlawKind::barrier_not_reached, FlawKind::no_progress})) << schedule;
    EXPECT_EQ(r.flaws[0].threads, std::vector<unsigned>{40});
    EXPECT_NE(r.flaws[0].ended.line, 0u);
    EXPECT_TRUE(r.flaws[1].after_flaw);
    EXPECT_EQ(r.flaws.size(), 2u);  // none of threads that were given up
  }
}

TEST(Sim, GivesEachBlockStepsOfItsOwnAfterSuchAFlaw) {
  Engine gpu({.schedule = 1, .budget_after_flaw = 2000});
  const auto y = gpu.allocate<int>("y", 64, static_cast<int*>(nullptr));
  launch(gpu, {.grid = 64, .block = 64}, [&] {
    const Sim m;
    if (m.branch(m.thread() == 40)) return;
    m.sync();
    for (int k = 0; m.block() == 0 && k < 10; ++k) y[m.thread()] = k;
    m.branch(m.thread() < 8);
  });
  EXPECT_EQ(kinds(gpu.report()), Kinds{FlawKind::barrier_not_reached});
}

TEST(Sim, EndsWhatExceedsItsBudget) {
  Engine gpu({.schedule = 1, .budget = 100000});
  const auto y = gpu.allocate<int>("y", 64, static_cast<int*>(nullptr));
  launch(gpu, two_warps, [&] {
    const Sim m;
    for (int k = 0;; ++k) y[m.thread()] = k;
  });
  EXPECT_EQ(kinds(gpu.report()), Kinds{FlawKind::no_progress});
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::sim
