// Folds with weights on the simulated device: they give the bits of the processor.
#include "driver/requests.hpp"
#include "expect_error.hpp"
#include "gpu/weighted.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

constexpr Request of_one[] = {{"mean,var", f32}, {"var", f32},      {"std", f64},
                              {"var", bf16},     {"mean,var", i32}, {"var", i64}};
constexpr Request of_two[] = {{"mse,mae", f32}, {"corr,cov,slope,intercept", f32}, {"rmse", f64}};

constexpr Request of_counts[] = {{"mean,std", f32},
                                 {"skewness", f32},
                                 {"sum,norm2,min,argmax,count", f64},
                                 {"sum,var,sumsq,count_nonzero", i32},
                                 {"sum,norm1,ptp", i64},
                                 {"rms,all,count_nan", bf16}};

class SimulatedWeighted : public Requests {};
class SimulatedWeightedPairs : public Requests {};
class SimulatedRepeated : public Requests {};

TEST_P(SimulatedWeighted, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, false), "");
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, false, true), "");
  }
}
TEST(SimulatedWeightedVar, GivesTheBitsOfTheProcessorInAWiderType) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_EQ(random_weighted_flaws("var", f32, seed, 500, false, false, f64), "");
    ASSERT_EQ(random_weighted_flaws("var", f32, seed, 500, false, true, f64), "");
  }
}
TEST_P(SimulatedWeightedPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, true), "");
    ASSERT_EQ(random_weighted_flaws(GetParam().ops, GetParam().dtype, seed, 500, true, true), "");
  }
}

TEST_P(SimulatedRepeated, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_EQ(random_repeated_flaws(GetParam().ops, GetParam().dtype, seed, 500), "");
    ASSERT_EQ(random_repeated_flaws(GetParam().ops, GetParam().dtype, seed, 500, true), "");
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
                         in_words<Request>);
INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWeighted, testing::ValuesIn(of_one), in_words<Request>);
INSTANTIATE_TEST_SUITE_P(Requests, SimulatedWeightedPairs, testing::ValuesIn(of_two),
                         in_words<Request>);

}  // namespace
