// Folds with weights on the simulated device: they give the bits of the processor.
#include "driver/requests.hpp"
#include "expect_error.hpp"
#include "gpu/weighted.hpp"
#include "onefold/fold.hpp"
#include "scaled.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

constexpr FoldCase of_one[] = {{"kurtosis_pearson,moment3,moment4", f32},
                               {"mean,var", f32},
                               {"var", f32},
                               {"std", f64},
                               {"var", bf16},
                               {"mean,var", i32},
                               {"var", i64}};
constexpr FoldCase of_two[] = {{"mse,mae", f32}, {"corr,cov,slope,intercept", f32}, {"rmse", f64}};

constexpr FoldCase of_counts[] = {{"mean,std", f32},
                                  {"skewness", f32},
                                  {"sem,moment3,raw_moment3", f32},
                                  {"raw_moment4", f32},
                                  {"sum,norm2,min,argmax,count", f64},
                                  {"sum,var,sumsq,count_nonzero", i32},
                                  {"sum,norm1,ptp", i64},
                                  {"rms,all,count_nan", bf16}};

class SimulatedWeighted : public Requests {};
class SimulatedWeightedPairs : public Requests {};
class SimulatedRepeated : public Requests {};

TEST_P(SimulatedWeighted, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, false), "");
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, false, true), "");
  }
}
TEST(SimulatedWeightedVar, GivesTheBitsOfTheProcessorInAWiderType) {
  for (uint64_t seed = 0; seed < test::scaled(20u); ++seed) {
    ASSERT_EQ(random_weighted_flaws("var", f32, seed, 500, false, false, f64), "");
    ASSERT_EQ(random_weighted_flaws("var", f32, seed, 500, false, true, f64), "");
  }
}
TEST_P(SimulatedWeightedPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, true), "");
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, true, true), "");
  }
}

TEST_P(SimulatedRepeated, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    ASSERT_EQ(random_repeated_flaws(GetParam().ops, GetParam().dtype, seed, 500), "");
    ASSERT_EQ(random_repeated_flaws(GetParam().ops, GetParam().dtype, seed, 500, true), "");
  }
}

// The host sorts the groups of its arrays, and the device folds them as segments.
TEST(SimulatedWeightedGroups, GiveTheBitsOfTheProcessor) {
  Random r(3);
  for (int round = 0; round < test::scaled(40); ++round) {
    const Size n = pick_log(r, 1, 2'000), groups = 1 + r() % 40;
    const auto some = [&](Size of) {
      std::vector<float> list(of);
      for (float& v : list) v = static_cast<float>(pick(r, 0, 2'000'000)) / 1024 - 900;
      return list;
    };
    const std::vector<float> x = some(n), y = some(n), w = some(n);
    std::vector<int32_t> labels(n);
    for (int32_t& label : labels) label = static_cast<int32_t>(r() % groups);
    std::vector<Bool8> mask(n, Bool8{1});
    if (round % 2 == 0) mask[r() % n].byte = 0;
    const auto compare = [&](auto fold) {
      const Answers here = fold(cpu), there = fold(cuda());
      for (std::size_t k = 0; k < here.list.size(); ++k) {
        ASSERT_EQ(there.list[k].data, here.list[k].data) << here.list[k].op << " of " << n;
        ASSERT_EQ(there.list[k].status, here.list[k].status);
      }
    };
    compare([&](Device device) {
      return fold_by("mean,var", labels, x,
                     {groups, {.where = mask, .weights = w, .device = device}});
    });
    compare([&](Device device) {
      return fold({.ops = "mse,mae",
                   .x = x,
                   .y = y,
                   .options = {.weights = w, .device = device},
                   .labels = labels,
                   .groups = groups});
    });
    compare([&](Device device) {
      return fold_by("mean,var", labels, x, {.weights = w, .device = device});
    });
  }
}

// Also of a segment that is much longer than others, which the second kernel may take.
TEST(SimulatedRepeatedSegments, OfNegativeCountsAreRefused) {
  jit::Gpu gpu;
  std::vector<int32_t> x(4000, 3);
  std::vector<int32_t> counts(x.size(), 1);
  const std::vector<int64_t> offsets{0, 1, 4000};
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{2000}}) {
    counts[wrong] = -1;
    for (const char* op : {"sum,var,sumsq,count_nonzero"}) {
      const Caught found =
          caught([&] { fold_segments(op, x, offsets, {.fweights = counts, .device = cuda()}); });
      EXPECT_EQ(found.code, ErrorCode::bad_option) << op << " of element " << wrong;
      EXPECT_NE(found.message.find("fweights"), std::string::npos) << found.message;
    }
    counts[wrong] = 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedRepeated, testing::ValuesIn(of_counts),
                         in_words<FoldCase>);
INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWeighted, testing::ValuesIn(of_one),
                         in_words<FoldCase>);
INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWeightedPairs, testing::ValuesIn(of_two),
                         in_words<FoldCase>);

}  // namespace ONEFOLD_FILE
