// The time that the model computes from the counters is close to the measured one.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lab/ladder.hpp"
#include "lab/time_model.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

using Json = nlohmann::json;

const Json& runs() {
  static const Json all = [] {
    std::ifstream in(ONEFOLD_SOURCE_DIR "/bench/results/lab_reduce_h200.json");
    return Json::parse(in).at("runs");
  }();
  return all;
}

// Calls f(rung, what its model says, measured us) for each rung of a run.
template <class F>
unsigned for_measured(const Json& run, F f) {
  unsigned count = 0;
  for (const Json& r : run.at("result").at("rungs")) {
    const Entry* e = find_rung(reduce_ladder(), r.at("name").get<std::string>());
    if (r.at("twin").get<bool>() || e == nullptr || !e->has_kernel() || !r.contains("ms")) continue;
    f(*e,
      work_of(*e, r.at("n").get<Size>(), r.at("block").get<unsigned>(), r.at("grid").get<Size>()),
      1000 * r.at("ms").get<double>());
    ++count;
  }
  return count;
}

TEST(TimeModel, PredictsEveryRungWithinAQuarterAt2To24) {
  ASSERT_EQ(runs().at(0).at("result").at("n"), 1 << 24);
  const unsigned seen = for_measured(runs().at(0), [](const Entry& e, const Work& w, double us) {
    const double ratio = time_of(w).sum() / us;
    EXPECT_GT(ratio, 0.75) << e.name;
    EXPECT_LT(ratio, 1.25) << e.name;
  });
  EXPECT_GE(seen, 35u);
}

// Nothing was fitted to this length. The range over which `naive` strides no longer fits the caches
// then, which the model ignores.
TEST(TimeModel, HoldsAt2To28) {
  double log_error = 0;
  ASSERT_EQ(runs().at(3).at("result").at("n"), 1 << 28);
  const unsigned seen = for_measured(runs().at(3), [&](const Entry& e, const Work& w, double us) {
    const double ratio = time_of(w).sum() / us;
    if (e.name == std::string_view("naive")) return;
    log_error += std::fabs(std::log(ratio));
    EXPECT_GT(ratio, 0.75) << e.name;
    EXPECT_LT(ratio, 1.25) << e.name;
  });
  EXPECT_LT(log_error / seen, 0.15);
}

// By the model, each rung removes the part that takes most time in the rung before it.
TEST(TimeModel, NamesWhatTheNextRungTakesAway) {
  const auto limit = [](const char* name) {
    return time_of(work_of(*find_rung(reduce_ladder(), name), Size{1} << 24, 256, 2112)).limit();
  };
  EXPECT_EQ(limit("modulo"), Part::instructions);        // its divisions take most time
  EXPECT_EQ(limit("reduction1_kernel"), Part::latency);  // one load in flight
  EXPECT_EQ(limit("vector_loads"), Part::memory);
  EXPECT_EQ(limit("naive"), Part::sectors);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
