// Folds of two arrays on the simulated device: they give the bits of the processor.
#include "driver/requests.hpp"
#include "gpu/masks.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

constexpr Request requests[] = {{"mse", f32},
                                {"rmse,mae,max_abs_diff", f32},
                                {"corr,cov,slope,intercept", f32},
                                {"cosine,average", f32},
                                {"distance,mae", f64},
                                {"mse,corr", bf16},
                                {"rmse,max_abs_diff", f16},
                                {"average", f64},
                                {"cov,corr,cosine,intercept", f64},
                                {"slope,max_abs_diff", i32},
                                {"cov,mse,mae", i16},
                                {"corr,rmse", u8},
                                {"corr,max_abs_diff", DType::boolean},
                                {"slope", i64}};

class SimulatedPairs : public Requests {};

TEST_P(SimulatedPairs, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_EQ(random_flaws(GetParam().ops, GetParam().dtype, seed, 500, true), "");
    ASSERT_EQ(random_masked_flaws(GetParam().ops, GetParam().dtype, seed, 500, true, false), "");
  }
}

TEST(SimulatedWeights, BroadcastOnTheDevice) {
  const std::vector<double> x(600, 3.5), w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const ArrayRef all(x.data(), f64, Dims(50, 12));
  Options host{.axes = Axes(Dims(1))};
  host.weights = ArrayRef(w.data(), f64, Dims(int64_t{12}));
  Options device = host;
  device.device = cuda();
  EXPECT_EQ(text_of(fold("average", all, device), fold("average", all, host)), "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedPairs, testing::ValuesIn(requests), in_words<Request>);

}  // namespace
