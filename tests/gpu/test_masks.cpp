// Masked folds on a device give the processor's bits. Label gpu.
#include "gpu/masks.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuMasks : public testing::TestWithParam<DType> {};

TEST_P(GpuMasks, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum", "mean,max", "var", "norm2", "argmin", "count_nonzero",
                          "sum,max,count_nan", "skewness,kurtosis"}) {
    ASSERT_EQ(masked_shape_flaws(ops, GetParam(), 200'000), "");
    const bool initial = std::string(ops) == "sum";
    for (uint64_t seed = 0; seed < 40; ++seed) {
      ASSERT_EQ(random_masked_flaws(ops, GetParam(), seed, 100'000, false, initial), "");
    }
  }
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_EQ(random_masked_flaws("dot", GetParam(), seed, 20'000, true, false), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuMasks,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
