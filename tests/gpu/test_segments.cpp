// Folds of segments on a device give the processor's bits. Label gpu.
#include "gpu/segments.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuSegments : public testing::TestWithParam<DType> {};

TEST_P(GpuSegments, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum,mean", "max", "argmin", "count_nonzero", "norm1", "skewness"}) {
    for (uint64_t seed = 0; seed < 16; ++seed) {
      ASSERT_EQ(segment_flaws(ops, GetParam(), seed, seed % 4 == 3 ? 2'000'000 : 50'000), "");
    }
  }
  if (!is_floating(GetParam())) return;
  for (uint64_t seed = 0; seed < 16; ++seed) {
    ASSERT_EQ(segment_flaws("var", GetParam(), seed, seed % 4 == 3 ? 2'000'000 : 50'000), "");
  }
}

TEST_P(GpuSegments, OfSlicesAndUnderMasksGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum,mean", "max", "argmin", "count_nonzero"}) {
    for (uint64_t seed = 0; seed < 24; ++seed) {
      ASSERT_EQ(matrix_flaws(ops, GetParam(), seed, seed % 4 == 3 ? 100'000 : 3'000), "");
    }
  }
}

TEST_P(GpuSegments, OfTwoArraysGiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"mse,mae", "cov,corr,slope,intercept", "total_var,total_std",
                          "cosine,average", "dot", "max_abs_diff"}) {
    for (uint64_t seed = 0; seed < 16; ++seed) {
      ASSERT_EQ(matrix_flaws(ops, GetParam(), seed, seed % 4 == 3 ? 100'000 : 3'000, {}, true), "");
    }
  }
}

TEST(GpuSegmentsOfOtherTypes, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 8; ++seed) {
    ASSERT_EQ(matrix_flaws("sum,var", f64, seed, 1'000, f32), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuSegments,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
