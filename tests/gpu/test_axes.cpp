// Folds along axes on a device give the processor's bits. Label gpu.
#include "gpu/axes.hpp"
#include "gpu/queued.hpp"
#include "gpu/strided.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuAxes : public testing::TestWithParam<DType> {};

TEST_P(GpuAxes, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum", "mean,max", "var", "norm2", "argmin", "count_nonzero", "norm1,any",
                          "sum,max,count_nan", "skewness,kurtosis", "var,skewness"}) {
    ASSERT_EQ(shape_flaws(ops, GetParam(), 200'000), "");
    for (uint64_t seed = 0; seed < 40; ++seed) {
      ASSERT_EQ(random_flaws(ops, GetParam(), seed, 100'000), "");
    }
  }
}

TEST_P(GpuAxes, GiveTheBitsOfTheProcessorForPairs) {
  SKIP_WITHOUT_DEVICE();
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ASSERT_EQ(random_flaws("dot", GetParam(), seed, 100'000), "");
  }
  ASSERT_EQ(shape_flaws("dot", GetParam(), 200'000, true), "");
  if (is_floating(GetParam())) {
    ASSERT_EQ(hard_pair_flaws("dot", GetParam(), 1000), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuAxes,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(GpuAxesOfAStream, AreCapturedAndReplayedAfterNewData) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  for (const int64_t axis : {0, 1}) {
    for (const Dims& shape : {Dims(4000, 30), Dims(300'000, 5), Dims(4, 300'000)}) {
      EXPECT_EQ(queued_flaws(gpu, shape, axis, nullptr), "") << to_string(shape);
    }
  }
}

TEST(GpuStridedOutputs, HaveTheirAnswersWhereTheyBelong) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  for (const Dims& shape : {Dims(6, 3000, 40), Dims(300, 5, 70), Dims(4000, 2, 3)}) {
    for (const Dims& axes : {Dims(int64_t{0}), Dims(int64_t{1}), Dims(int64_t{2}),
                             Dims(int64_t{0}, int64_t{2}), Dims(int64_t{1}, int64_t{2})}) {
      EXPECT_EQ(strided_flaws<double>(gpu, "sum", shape, axes, 2), "");
      EXPECT_EQ(strided_flaws<float>(gpu, "sum,mean,max", shape, axes, 2), "");
    }
  }
}

}  // namespace ONEFOLD_FILE
