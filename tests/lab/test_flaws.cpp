// Flaws that the simulated machine reports, and correct code in which it reports none.
#include <gtest/gtest.h>

#include "run.hpp"

namespace onefold::sim {
namespace ONEFOLD_FILE {

TEST(Sim, FindsARaceWithinAWarpAndNoneBehindSyncWarp) {
  const auto kernel = [](bool synced) {
    return [synced](Sim m, P x, P y) {
      auto s = shared<int, 32, struct s_>(m);
      const auto t = m.thread();
      s[t] = x[t];
      if (synced) m.sync_warp();
      y[t] = s[(t + 1) % 32];
    };
  };
  for (unsigned schedule = 0; schedule < 5; ++schedule) {
    EXPECT_TRUE(run(one_warp, 32, kernel(false), schedule).has(FlawKind::race));
    EXPECT_EQ(kinds(run(one_warp, 32, kernel(true), schedule)), Kinds{});
  }
}

TEST(Sim, OrdersOnlyTheLanesThatAPartialSyncWarpNames) {
  const auto kernel = [](unsigned reader) {
    return [reader](Sim m, P x, P y) {
      auto s = shared<int, 32, struct s_>(m);
      const auto t = m.thread();
      s[t] = x[t];
      if (t < 8) m.sync_warp(0xffu);
      if (t == 0) y[t] = s[reader];
    };
  };
  EXPECT_EQ(kinds(run(one_warp, 32, kernel(7))), Kinds{});
  EXPECT_TRUE(run(one_warp, 32, kernel(8)).has(FlawKind::race) ||
              run(one_warp, 32, kernel(8)).has(FlawKind::uninitialised));
}

TEST(Sim, DoesNotTakeAShuffleForABarrier) {
  const Report r = run(one_warp, 32, [](Sim m, P x, P y) {
    auto s = shared<int, 32, struct s_>(m);
    const auto t = m.thread();
    s[t] = x[t];
    const int v = m.shuffle_down(0, 1);
    y[t] = s[(t + 1) % 32] + v;
  });
  EXPECT_EQ(kinds(r), Kinds{FlawKind::race});
}

TEST(Sim, FindsARaceBetweenWarpsAndNoneBehindABarrier) {
  const auto kernel = [](bool synced) {
    return [synced](Sim m, P x, P y) {
      auto s = shared<int, 64, struct s_>(m);
      const auto t = m.thread();
      s[t] = x[t];
      if (synced)
        m.sync();
      else
        m.sync_warp();
      y[t] = s[63u - t];
    };
  };
  EXPECT_FALSE(kinds(run(two_warps, 64, kernel(false))).empty());
  EXPECT_EQ(kinds(run(two_warps, 64, kernel(true))), Kinds{});
}

TEST(Sim, FindsARaceBetweenBlocks) {
  // Block 1 overwrites an element that block 0 reads.
  const Report r = run(two_blocks, 64, [](Sim m, P x, P y) {
    const auto t = m.thread();
    const int v = x[t];
    y[m.block() * 32 + t] = v;
    if (m.block() == 1) x[t] = 5;
  });
  ASSERT_EQ(kinds(r), Kinds{FlawKind::race});
  EXPECT_EQ(r.flaws[0].block, 1u);
  EXPECT_EQ(r.flaws[0].other_block, 0u);
}

// Every block writes a value; the block that draws the last ticket reads all of them.
template <bool Release, bool Acquire, bool Reset = true>
Report tickets(unsigned schedule) {
  Engine gpu({.schedule = schedule});
  const unsigned zero = 0;
  const auto y = gpu.allocate<int>("y", 5, static_cast<int*>(nullptr));
  const auto ticket = gpu.allocate<unsigned>("ticket", 1, &zero);
  gpu.expect_zero(ticket);
  launch(gpu, {.grid = 4, .block = 64}, [&] {
    const Sim m;
    auto last = shared<unsigned, 1, struct last_>(m);
    const auto t = m.thread();
    if (t == 0) {
      y[m.block() + 1] = int(m.block());
      if (Release) m.fence();
      last[0] = m.add(ticket, 0, 1u) == 3 ? 1u : 0u;
      if (Acquire) m.fence();
    }
    m.sync();
    const unsigned finish = last[0];
    if (finish == 0) return;
    if (t == 63) {
      int s = 0;
      for (unsigned b = 0; b < 4; ++b) s += y[b + 1];
      y[0] = s;
      if (Reset) ticket[0] = 0u;
    }
  });
  int sum = 0;
  gpu.read(y, &sum, 1);
  EXPECT_EQ(sum, 6);
  return gpu.report();
}

TEST(Sim, OrdersBlocksByFenceAtomicFence) {
  for (unsigned schedule = 0; schedule < 4; ++schedule) {
    EXPECT_EQ(kinds(tickets<true, true>(schedule)), Kinds{});
    EXPECT_EQ(kinds(tickets<false, true>(schedule)), Kinds{FlawKind::race});
    EXPECT_EQ(kinds(tickets<true, false>(schedule)), Kinds{FlawKind::race});
  }
}

TEST(Sim, ReportsATicketLeftDirty) {
  EXPECT_EQ(kinds(tickets<true, true, false>(1)), Kinds{FlawKind::dirty_ticket});
}

TEST(Sim, ReportsAGridBarrierThatBlocksCannotReachTogether) {
  const Report r = run(two_blocks, 64, [](Sim m, P, P) { m.sync_grid({}); });
  EXPECT_EQ(kinds(r), Kinds{FlawKind::barrier_not_reached});
}

TEST(Sim, ReportsABarrierThatExitedThreadsNeverReach) {
  const Report r = run(two_warps, 64, [](Sim m, P, P) {
    if (m.thread() >= 40) return;
    m.sync();
  });
  ASSERT_EQ(kinds(r), Kinds{FlawKind::barrier_not_reached});
  EXPECT_EQ(r.flaws[0].threads.size(), 24u);
  EXPECT_EQ(r.flaws[0].threads.front(), 40u);
}

TEST(Sim, ReportsBarriersAtDifferentPlaces) {
  const Report r = run(two_warps, 64, [](Sim m, P, P) {
    if (m.thread() < 32) {
      m.sync();
    } else {
      m.sync();
    }
  });
  EXPECT_EQ(kinds(r), Kinds{FlawKind::barrier_not_reached});
}

TEST(Sim, ReportsASyncWarpThatALaneMisses) {
  const Report r = run(one_warp, 64, [](Sim m, P, P) {
    if (m.thread() != 5) m.sync_warp();
    m.sync();
  });
  ASSERT_EQ(kinds(r), Kinds{FlawKind::barrier_not_reached});
  EXPECT_EQ(r.flaws[0].threads, std::vector<unsigned>{5});
}

TEST(Sim, ReportsAShuffleFromAnAbsentLane) {
  const Report r = run(one_warp, 64, [](Sim m, P, P y) {
    if (m.thread() < 8) {
      const int v = m.shuffle_down(1, 4);
      y[m.thread()] = v;
    }
  });
  EXPECT_EQ(kinds(r), Kinds{FlawKind::absent_lane});
}

TEST(Sim, ReportsWhatNobodyWroteAndWhatLiesOutside) {
  const Report r = run(one_warp, 32, [](Sim m, P x, P y) {
    auto s = shared<int, 32, struct s_>(m);
    const auto t = m.thread();
    if (t == 3) y[0] = s[t];
    if (t == 4) y[1] = x[t + 28];
    if (t == 5) y[32] = 1;
  });
  EXPECT_EQ(kinds(r), (Kinds{FlawKind::uninitialised, FlawKind::out_of_bounds}));
  ASSERT_EQ(r.flaws.size(), 3u);
  EXPECT_EQ(r.flaws[1].element, 32u);
  EXPECT_EQ(r.flaws[1].threads, std::vector<unsigned>{4});
}

TEST(Sim, StopsAThreadThatRunsAway) {
  const Report r = run(one_warp, 32, [](Sim m, P x, P y) {
    int s = 0;
    for (auto i = m.thread(); m.inside(i, ~0u); i += 32) s += x[i];
    y[m.thread()] = s;
  });
  EXPECT_EQ(kinds(r), Kinds{FlawKind::out_of_bounds});
}

TEST(Sim, TakesAwayTheSyncThatItIsToldTo) {
  const auto kernel = [](Sim m, auto x, auto y) {
    auto s = shared<int, 64, struct s_>(m);
    const auto t = m.thread();
    s[t] = x[t];
    m.sync();
    y[t] = s[63u - t];
  };
  const auto run_without = [&](std::optional<Site> site) {
    Engine gpu({.schedule = 1, .without = site});
    std::vector<int> v(64, 1);
    const auto x = gpu.allocate<int>("x", 64, v.data());
    const auto y = gpu.allocate<int>("y", 64, static_cast<int*>(nullptr));
    launch(gpu, two_warps, [&] { kernel(Sim{}, x, y); });
    return gpu.report();
  };
  const Report whole = run_without(std::nullopt);
  EXPECT_EQ(kinds(whole), Kinds{});
  ASSERT_EQ(whole.sync_sites.size(), 1u);
  EXPECT_TRUE(run_without(whole.sync_sites[0]).has(FlawKind::race) ||
              run_without(whole.sync_sites[0]).has(FlawKind::uninitialised));
}

// A block copies two tiles and adds them; `wait` and `keep` are false for a version with a mistake.
Report copies(bool wait, bool keep, unsigned schedule, std::vector<int>* y = nullptr) {
  return run(
      two_warps, 256,
      [=](Sim m, P x, P y) {
        auto s = shared<int, 64, struct s_>(m);
        const auto t = m.thread();
        if (t == 0) m.open_bulk(0);
        m.sync();
        if (t == 0) m.copy_bulk(s, In<Sim, int>(x), 64, 0);
        if (wait) m.wait_bulk(0, 0);
        int v = s[t];
        if (keep) m.sync();
        if (t == 0) m.copy_bulk(s, In<Sim, int>(x + 64), 64, 0);
        m.wait_bulk(0, 1);
        v += s[63u - t];
        y[t] = v;
      },
      schedule, y);
}

TEST(Sim, BringsBulkCopiesToThoseWhoWait) {
  for (unsigned schedule = 0; schedule < 6; ++schedule) {
    std::vector<int> y;
    EXPECT_EQ(kinds(copies(true, true, schedule, &y)), Kinds{}) << schedule;
    for (int t = 0; t < 64; ++t) EXPECT_EQ(y[unsigned(t)], t + 64 + 63 - t);
  }
}

TEST(Sim, ReportsBytesTouchedBeforeTheWaitAndSlotsReusedTooEarly) {
  EXPECT_TRUE(copies(false, true, 1).has(FlawKind::race));
  for (unsigned schedule = 0; schedule < 6; ++schedule) {
    // There is a race, or threads wait for a phase that is already over.
    EXPECT_NE(kinds(copies(true, false, schedule)), Kinds{}) << schedule;
  }
}

TEST(Sim, ReportsABulkBarrierThatIsNotReady) {
  const auto kernel = [](bool synced) {
    return [synced](Sim m, P x, P y) {
      auto s = shared<int, 64, struct s_>(m);
      const auto t = m.thread();
      if (t == 0) m.open_bulk(0);
      if (synced) m.sync();
      if (t == 0) m.copy_bulk(s, In<Sim, int>(x), 64, 0);
      m.wait_bulk(0, 0);
      y[t] = s[t];
    };
  };
  EXPECT_EQ(kinds(run(two_warps, 64, kernel(true))), Kinds{});
  EXPECT_NE(kinds(run(two_warps, 64, kernel(false))), Kinds{});
}

// Each lane of a warp copies two vectors for itself, one after the other into one slot, and adds
// them.
enum class Slip { none, no_wait, waits_for_too_few, fills_early, reads_neighbours, moves_source };
Report own_copies(Slip slip, unsigned schedule, std::vector<int>* y = nullptr) {
  return run(
      one_warp, 256,
      [=](Sim m, P x, P y) {
        auto s = shared<Vector16<int>, 32, struct s_>(m);
        const auto t = m.thread();
        const auto from = m.by_vector(In<Sim, int>(x));
        const auto bring = [&](unsigned k) {
          m.copy_async(s + t, from + (k * 32 + t));
          m.commit_copies();
        };
        int v = 0;
        const auto take = [&] {
          const Vector16<int> four = s[slip == Slip::reads_neighbours ? (t + 1) % 32 : t];
          v += four.sum();
        };
        bring(0);
        m.sync_warp();
        if (slip == Slip::moves_source) x[(t + 1) % 32 * 4] = 7;
        if (slip == Slip::waits_for_too_few) {
          m.wait_copies<1>();
        } else if (slip != Slip::no_wait) {
          m.wait_copies<0>();
        }
        if (slip == Slip::fills_early) bring(1);
        take();
        if (slip != Slip::fills_early) bring(1);
        m.wait_copies<0>();
        take();
        y[t] = v;
      },
      schedule, y);
}

TEST(Sim, BringsAThreadsOwnCopiesAtItsWait) {
  for (unsigned schedule = 0; schedule < 6; ++schedule) {
    std::vector<int> y;
    EXPECT_EQ(kinds(own_copies(Slip::none, schedule, &y)), Kinds{}) << schedule;
    for (int t = 0; t < 32; ++t) EXPECT_EQ(y[unsigned(t)], 4 * (4 * t) + 6 + 4 * (128 + 4 * t) + 6);
  }
}

TEST(Sim, ReportsOwnCopiesThatAreReadTooEarlyOrOverwritten) {
  for (const Slip slip : {Slip::no_wait, Slip::waits_for_too_few, Slip::fills_early,
                          Slip::reads_neighbours, Slip::moves_source}) {
    for (unsigned schedule = 0; schedule < 6; ++schedule) {
      EXPECT_TRUE(own_copies(slip, schedule).has(FlawKind::race)) << int(slip) << " " << schedule;
    }
  }
}

TEST(Sim, GivesTheSameReportForTheSameSeed) {
  const auto kernel = [](Sim m, P x, P y) {
    const auto t = m.thread();
    x[(t * 7) % 16] += x[t];
    y[t] = x[(t * 5) % 64];
  };
  for (unsigned schedule = 0; schedule < 4; ++schedule) {
    const Report a = run(two_warps, 64, kernel, schedule), b = run(two_warps, 64, kernel, schedule);
    ASSERT_EQ(a.flaws.size(), b.flaws.size());
    for (std::size_t i = 0; i < a.flaws.size(); ++i) {
      EXPECT_EQ(a.flaws[i].at, b.flaws[i].at);
      EXPECT_EQ(a.flaws[i].times, b.flaws[i].times);
      EXPECT_EQ(a.flaws[i].threads, b.flaws[i].threads);
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::sim
