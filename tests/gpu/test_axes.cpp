// Folds along axes on a device: the same bits as the processor gives. Label gpu.
#include "gpu/axes.hpp"

namespace {

using namespace onefold;
using namespace onefold::test;

class GpuAxes : public testing::TestWithParam<DType> {};

TEST_P(GpuAxes, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum", "mean,max", "var", "norm2", "argmin", "count_nonzero", "norm1,any",
                          "sum,max,count_nan"}) {
    ASSERT_EQ(shape_flaws(ops, GetParam(), 200'000), "");
    for (uint64_t seed = 0; seed < 40; ++seed) {
      ASSERT_EQ(random_flaws(ops, GetParam(), seed, 100'000), "");
    }
  }
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ASSERT_EQ(random_flaws("dot", GetParam(), seed, 20'000), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuAxes,
                         testing::Values(f64, f32, f16, bf16, i64, i32, u8, DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
