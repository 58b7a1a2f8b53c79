// logsumexp and its kin on a device give the processor's bits. Label gpu.
#include "gpu/exponential.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuExponentials : public testing::TestWithParam<DType> {};

TEST_P(GpuExponentials, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const ExponentialShape shapes[] = {{{3, 5, 1000}, 2},   {{2, 300, 70}, 1}, {{40, 7, 9}, 0},
                                     {{1, 100, 4096}, 2}, {{64, 65, 12}, 2}, {{2, 3, 33000}, 2},
                                     {{5000, 1, 33}, 0},  {{700, 3, 2}, 1},  {{900, 8, 4}, 2}};
  for (uint64_t seed = 0; seed < 45; ++seed) {
    ASSERT_EQ(exponential_flaws(GetParam(), seed, shapes[seed % 9]), "");
  }
}

// Slices of parts, which many blocks sum.
TEST_P(GpuExponentials, OfLongSlicesAreCutIntoParts) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 3; ++seed) {
    ASSERT_EQ(exponential_flaws(GetParam(), seed, {{1, 1, 1'500'000}, 2, 2}), "");
    ASSERT_EQ(exponential_flaws(GetParam(), seed, {{1, 200'000, 5}, 1, 2}), "");
  }
}

// e^700 of 18,000 elements is beyond f64.
TEST_P(GpuExponentials, OfSumsOutOfRange) {
  SKIP_WITHOUT_DEVICE();
  ASSERT_EQ(exponential_flaws(GetParam(), 1, {{3, 1, 20'000}, 2, 2, 8}), "");
  ASSERT_EQ(exponential_flaws(GetParam(), 2, {{1, 1, 300'000}, 2, 1, 8}), "");
}

INSTANTIATE_TEST_SUITE_P(Types, GpuExponentials, testing::Values(f64, f32, f16, bf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
