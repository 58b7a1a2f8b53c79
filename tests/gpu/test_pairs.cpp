// Folds of two arrays on a device give the processor's bits. Label gpu.
#include "gpu/masks.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuPairs : public testing::TestWithParam<DType> {};

TEST_P(GpuPairs, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"mse,rmse,distance", "mae,max_abs_diff", "cov,corr,slope,intercept",
                          "total_var,total_std", "cosine", "average"}) {
    for (uint64_t seed = 0; seed < 15; ++seed) {
      ASSERT_EQ(random_flaws(ops, GetParam(), seed, 20'000, true), "");
      ASSERT_EQ(random_masked_flaws(ops, GetParam(), seed, 20'000, true, false), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuPairs,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
