// rms_norm and layer_norm on a device give the processor's bits. Label gpu.
#include "gpu/exponential.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuNorms : public testing::TestWithParam<DType> {};

TEST_P(GpuNorms, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const ExponentialShape shapes[] = {{{3, 5, 1000}, 2},   {{2, 300, 70}, 1}, {{40, 7, 9}, 0},
                                     {{1, 100, 4096}, 2}, {{64, 65, 12}, 2}, {{2, 3, 33000}, 2},
                                     {{5000, 1, 33}, 0},  {{700, 3, 2}, 1},  {{900, 8, 4}, 2}};
  for (uint64_t seed = 0; seed < 27; ++seed) {
    ASSERT_EQ(norm_flaws(GetParam(), seed, shapes[seed % 9]), "");
  }
}
TEST_P(GpuNorms, DecideTiesAndZeros) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 9; ++seed) {
    ASSERT_EQ(norm_flaws(GetParam(), seed, {{20, 3, 50}, 2, 4, 10}), "");
  }
}
TEST_P(GpuNorms, OfLongSlicesAreCutIntoParts) {
  SKIP_WITHOUT_DEVICE();
  ASSERT_EQ(norm_flaws(GetParam(), 1, {{1, 1, 1'500'000}, 2, 2}), "");
  ASSERT_EQ(norm_flaws(GetParam(), 2, {{1, 200'000, 5}, 1, 2}), "");
}

INSTANTIATE_TEST_SUITE_P(Types, GpuNorms, testing::Values(f64, f32, f16, bf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
