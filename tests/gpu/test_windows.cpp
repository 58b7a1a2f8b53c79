// Windows on a device give the processor's bits. Label gpu.
#include "gpu/windows.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuWindows : public testing::TestWithParam<DType> {};

TEST_P(GpuWindows, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum", "mean", "var,std", "mean,min,max", "argmax", "count"}) {
    for (uint64_t seed = 0; seed < 24; ++seed) {
      const Size n = seed % 8 == 7 ? 200'000 : seed % 4 == 3 ? 40'000 : 3'000;
      ASSERT_EQ(window_flaws(ops, GetParam(), seed, n, 40'000'000), "");
    }
  }
}
TEST_P(GpuWindows, OfPairsGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 16; ++seed) {
    ASSERT_EQ(window_flaws("cov,corr", GetParam(), seed, 3'000, 300'000, true), "");
  }
}
TEST_P(GpuWindows, HaveTheQuantilesOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  if (!is_floating(GetParam())) return;
  for (uint64_t seed = 0; seed < 24; ++seed) {
    const Size n = seed % 8 == 7 ? 200'000 : seed % 4 == 3 ? 40'000 : 3'000;
    ASSERT_EQ(window_flaws("quantile", GetParam(), seed, n, 4'000'000), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuWindows,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
