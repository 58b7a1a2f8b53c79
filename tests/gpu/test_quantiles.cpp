// Quantiles on a device have the processor's bits. Label gpu.
#include "gpu/quantiles.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuQuantiles : public testing::TestWithParam<DType> {};

TEST_P(GpuQuantiles, OfShortSlicesGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const QuantileShape shapes[] = {{{3, 5, 1000}, 2},   {{2, 300, 70}, 1}, {{40, 7, 9}, 0},
                                  {{1, 100, 4096}, 2}, {{64, 65, 12}, 2}, {{2, 3, 8192}, 2},
                                  {{5000, 1, 33}, 0},  {{700, 3, 2}, 1},  {{900, 8, 4}, 2}};
  for (uint64_t seed = 0; seed < 27; ++seed) {
    ASSERT_EQ(quantile_flaws(GetParam(), seed, shapes[seed % 9]), "");
  }
}
TEST_P(GpuQuantiles, OfLongSlicesGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (int kind = 0; kind < 8; ++kind) {
    const auto seed = static_cast<uint64_t>(kind);
    ASSERT_EQ(quantile_flaws(GetParam(), seed, {{1, 1, 1'500'000 + kind}, 2, kind}), "");
    ASSERT_EQ(quantile_flaws(GetParam(), seed, {{1, 1, 1'048'576}, 2, kind}), "");
    ASSERT_EQ(quantile_flaws(GetParam(), seed, {{3, 20'000, 5}, 1, kind}), "");
  }
  ASSERT_EQ(quantile_flaws(GetParam(), 9, {{150, 1, 17'000}, 2}), "");
}

INSTANTIATE_TEST_SUITE_P(Types, GpuQuantiles, testing::Values(f64, f32, f16, bf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
