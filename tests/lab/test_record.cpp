// Recordings: the page plays exactly the machine's steps.
#include "lab/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "lab/ladder.hpp"
#include "rungs.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

const Entry& rung(const char* name) { return *find_rung(reduce_ladder(), name); }

sim::Traffic sum(const Recording& r, Act act, bool shared) {
  sim::Traffic t;
  for (const Moment& m : r.moments) {
    if (m.act != act || r.spaces[m.space].shared != shared) continue;
    t += {.requests = 1, .count = m.cost[3]};
  }
  return t;
}

class Recordings : public testing::TestWithParam<const Entry*> {};

// The recording has the same requests and wavefronts as the run's counters, which are made apart.
TEST_P(Recordings, CountAsTheMachineDoes) {
  for (const Recording& r : recordings(*GetParam())) {
    if (r.twin) continue;
    EXPECT_TRUE(r.outcome.correct);
    EXPECT_TRUE(r.flaws.empty());
    EXPECT_EQ(std::get<int64_t>(r.outcome.result), static_cast<int64_t>(r.setting.n));
    const sim::Counters& c = r.outcome.report.counters;
    const std::tuple<sim::Traffic, Act, bool> kinds[] = {{c.global_load, Act::load, false},
                                                         {c.global_store, Act::store, false},
                                                         {c.shared_load, Act::load, true},
                                                         {c.shared_store, Act::store, true}};
    for (const auto& [counted, act, shared] : kinds) {
      const sim::Traffic seen = sum(r, act, shared);
      EXPECT_EQ(seen.requests, counted.requests) << static_cast<int>(act) << shared;
      EXPECT_EQ(seen.count, counted.count) << static_cast<int>(act) << shared;
    }
    uint64_t branches = 0, divergent = 0;
    for (const Moment& m : r.moments) {
      if (m.act != Act::branch) continue;
      ++branches;
      divergent += m.argument != 0 && m.argument != m.lanes;
    }
    EXPECT_EQ(branches, c.branches);
    EXPECT_EQ(divergent, c.divergent_branches);
  }
}

class RecordedTwins : public Recordings {};

TEST_P(RecordedTwins, ShowWhatIsWrongWithThem) {
  const Entry& e = *GetParam();
  const auto all = recordings(e);
  const Recording& last = all.back();
  ASSERT_TRUE(last.twin);
  EXPECT_TRUE(!last.outcome.correct || !last.flaws.empty());
  for (const sim::Flaw& f : last.flaws) {
    EXPECT_TRUE(e.twin.flaws >> static_cast<int>(f.kind) & 1) << name_of(f.kind);
  }
  EXPECT_TRUE((e.twin.flaws & wrong_result) == 0 || !last.outcome.correct);
}

std::vector<const Entry*> twins() {
  std::vector<const Entry*> v(reduce_ladder().begin(), reduce_ladder().end());
  std::erase_if(v, [](const Entry* e) { return !e->has_twin || !e->has_kernel(); });
  return v;
}

constexpr auto name_of_rung = [](const auto& i) { return std::string(i.param->name); };
INSTANTIATE_TEST_SUITE_P(, Recordings, testing::ValuesIn(simulated_rungs()), name_of_rung);
INSTANTIATE_TEST_SUITE_P(, RecordedTwins, testing::ValuesIn(twins()), name_of_rung);

TEST(Record, HasWarpInstructionsWithTheirElements) {
  const auto all = recordings(rung("sequential"));
  const Recording& r = all[0];
  const auto first = std::find_if(r.moments.begin(), r.moments.end(),
                                  [](const Moment& m) { return m.act == Act::barrier; });
  ASSERT_NE(first, r.moments.end());
  EXPECT_EQ(first->elements.size(), 64u);  // every thread waits at this step
  // All of warp 0 takes `if (t < h)`. Then it loads s[t + 32] and s[t] and stores their sum.
  EXPECT_EQ(first[1].act, Act::branch);
  EXPECT_EQ(first[1].argument, ~0u);
  EXPECT_EQ(first[2].act, Act::load);
  EXPECT_EQ(first[2].elements.front(), 32);
  EXPECT_EQ(first[3].elements.back(), 31);
  EXPECT_EQ(first[4].act, Act::store);
  EXPECT_EQ(first[4].lanes, ~0u);
  EXPECT_EQ(first[4].values, std::vector<int64_t>(32, 2));
  EXPECT_EQ(first[4].cost, (std::array<unsigned, 4>{2, 2, 1, 1}));  // half-warps on c.c. 1.x
}

TEST(Record, HasARaceInTheOrderInWhichItWentWrong) {
  const auto all = recordings(rung("unroll_last_six"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[1].schedule, 0u);
  EXPECT_TRUE(all[1].outcome.correct);  // as chips before Volta ran it
  EXPECT_FALSE(all[2].outcome.correct);
  // Lanes run one after another: no step of the last warp has two lanes.
  const auto& m = all[2].moments;
  const auto racy =
      std::find_if(m.begin(), m.end(), [](const Moment& x) { return !x.flaws.empty(); });
  ASSERT_NE(racy, m.end());
  EXPECT_EQ(std::popcount(racy->lanes), 1);
}

TEST(Record, HasAnAbsentLaneAtItsStep) {
  const auto all = recordings(rung("shuffle_two_level"));
  for (const Moment& m : all.back().moments) {
    EXPECT_TRUE(m.flaws.empty() || m.act == Act::shuffle_down);
  }
  EXPECT_TRUE(std::any_of(all.back().moments.begin(), all.back().moments.end(),
                          [](const Moment& m) { return !m.flaws.empty(); }));
}

TEST(Record, IsShortAsJson) {
  std::size_t bytes = 0;
  for (const Entry* e : reduce_ladder()) {
    for (const Recording& r : recordings(*e)) bytes += to_json(r).dump().size();
  }
  EXPECT_LT(bytes, 600u << 10);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
