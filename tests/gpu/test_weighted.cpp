// Folds with weights on a device give the processor's bits. Label gpu.
#include "gpu/weighted.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuWeighted : public testing::TestWithParam<DType> {};

TEST_P(GpuWeighted, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 30; ++seed) {
    ASSERT_EQ(random_weighted_flaws("mean,var,std", GetParam(), seed, 50'000, false), "");
    ASSERT_EQ(random_weighted_flaws("skewness,kurtosis", GetParam(), seed, 50'000, false), "");
    ASSERT_EQ(random_weighted_flaws("var", GetParam(), seed, 50'000, false), "");
    ASSERT_EQ(random_weighted_flaws("var", GetParam(), seed, 50'000, false, false, f64), "");
    ASSERT_EQ(random_weighted_flaws("mse,rmse,mae", GetParam(), seed, 50'000, true), "");
    ASSERT_EQ(random_weighted_flaws("cov,corr,slope,intercept", GetParam(), seed, 50'000, true),
              "");
  }
}

TEST_P(GpuWeighted, RepeatElementsAsTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 30; ++seed) {
    ASSERT_EQ(random_repeated_flaws("sum,mean,var,std,norm1,norm2,rms", GetParam(), seed, 50'000),
              "");
    ASSERT_EQ(random_repeated_flaws("skewness,kurtosis", GetParam(), seed, 50'000), "");
    ASSERT_EQ(random_repeated_flaws("min,argmax,count,ptp,all,count_nonzero,count_nan", GetParam(),
                                    seed, 50'000),
              "");
  }
}

TEST_P(GpuWeighted, FoldSegmentsAsTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 12; ++seed) {
    ASSERT_EQ(random_weighted_flaws("mean,var,std", GetParam(), seed, 50'000, false, true), "");
    ASSERT_EQ(random_weighted_flaws("mse,mae", GetParam(), seed, 50'000, true, true), "");
    ASSERT_EQ(random_weighted_flaws("corr,cov", GetParam(), seed, 50'000, true, true), "");
    ASSERT_EQ(random_repeated_flaws("sum,mean,var,argmax,count", GetParam(), seed, 50'000, true),
              "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuWeighted,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
