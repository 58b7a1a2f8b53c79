// Skewness and kurtosis on the simulated device: the bits of the processor.
#include <random>

#include "driver/requests.hpp"
#include "gpu/masks.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

class SimulatedMoments : public Requests {};

TEST_P(SimulatedMoments, GiveTheBitsOfTheProcessor) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    ASSERT_EQ(random_flaws(GetParam().ops, GetParam().dtype, seed, 500), "");
  }
}
TEST(SimulatedMomentsOfMasks, LeaveOutWhatAMaskLeavesOut) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    ASSERT_EQ(random_masked_flaws("skewness,kurtosis", f32, seed, 500, false, false), "");
  }
}

// Rows whose mean is far from 0, rows of one number and rows of zeros go to exact words.
TEST(SimulatedMomentsOfRows, ThatTotalsDoNotDecideAreExact) {
  constexpr Size n = 1500;
  std::mt19937 random(9);
  std::vector<float> x(4 * n);
  for (Size e = 0; e < n; ++e) {
    const auto v = static_cast<float>(random() % 4096) / 1024;
    x[e] = v;
    x[n + e] = 1e6f + v;
    x[2 * n + e] = 3.25f;
    x[3 * n + e] = 0;
  }
  const ArrayRef rows(x.data(), f32, Dims(4, static_cast<int64_t>(n)));
  Options host{.axes = Axes(int64_t{1})};
  Options device = host;
  device.device = cuda();
  EXPECT_EQ(text_of(fold("skewness,kurtosis", rows, device), fold("skewness,kurtosis", rows, host)),
            "");
}

INSTANTIATE_TEST_SUITE_P(Requests, SimulatedMoments,
                         testing::Values(Request{"skewness,kurtosis", f32},
                                         Request{"skewness", f64}, Request{"kurtosis", i16}),
                         in_words<Request>);

}  // namespace
