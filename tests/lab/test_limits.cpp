// What limits a rung is a claim: the counters of the simulated machine bear it out where they can.
#include <gtest/gtest.h>

#include "lab/ladder.hpp"
#include "lab/simulate.hpp"
#include "rungs.hpp"

namespace onefold::lab {
namespace {

class Limits : public testing::TestWithParam<const Entry*> {};

TEST_P(Limits, ShowInTheCounters) {
  const Entry& e = *GetParam();
  constexpr Size n = 1 << 14;
  const Outcome o = simulate(e, false, {.n = n, .schedules = 1}, elements(n, 1)).value();
  const sim::Counters& c = o.report.counters;
  const auto each = [](uint64_t a, uint64_t b) { return b == 0 ? 0 : double(a) / double(b); };
  const double barriers = each(c.barriers, c.warps);
  const double wavefronts = each(c.shared_load.count, c.shared_load.requests);
  const sim::Traffic& load = c.global_load;  // none: bulk copies
  const double used = load.moved == 0 ? 1 : each(load.bytes, load.moved);
  switch (e.about.limit) {
    case Limit::host:
      EXPECT_EQ(e.about.flow, Flow::host);
      break;
    case Limit::launches:
      EXPECT_GT(o.launches, 1u);
      break;
    case Limit::divergence:
      EXPECT_LT(c.active_lanes(), 24);
      EXPECT_GT(each(c.divergent_branches, c.warps), 3);
      break;
    case Limit::scattered:
      EXPECT_LT(used, 0.6);
      break;
    case Limit::bank_conflicts:
      EXPECT_GT(wavefronts, 2);
      break;
    case Limit::round_trips:
      EXPECT_GT(load.bytes, n * sizeof(int32_t) * 19 / 10);
      EXPECT_EQ(c.shared_load.requests, 0u);
      break;
    case Limit::idle_threads:
      EXPECT_EQ(e.about.a_thread, 1u);
      EXPECT_GT(c.active_lanes(), 28);  // whole warps are idle, not lanes
      break;
    case Limit::barriers:
      EXPECT_GT(barriers, 5);
      EXPECT_LT(wavefronts, 1.01);
      break;
    case Limit::instructions:
      EXPECT_LT(barriers, 5);
      EXPECT_GT(each(c.warp_instructions, c.warps), 10);
      break;
    case Limit::loads_in_flight:
    case Limit::memory:  // times tell: bench/results/
      EXPECT_GT(used, 0.75);
      EXPECT_LT(wavefronts, 1.01);
      break;
  }
  EXPECT_EQ(e.about.limit == Limit::host, e.about.flow == Flow::host);
}

INSTANTIATE_TEST_SUITE_P(, Limits, testing::ValuesIn(simulated_rungs()),
                         [](const auto& i) { return std::string(i.param->name); });

}  // namespace
}  // namespace onefold::lab
