// Scans on a device give the processor's bits. Label gpu.
#include "gpu/scans.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuScans : public testing::TestWithParam<DType> {};

TEST_P(GpuScans, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  for (const char* ops : {"sum", "mean"}) {
    for (uint64_t seed = 0; seed < 48; ++seed) {
      const Size n = seed % 8 == 7 ? 3'000'000 : seed % 4 == 3 ? 200'000 : 20'000;
      ASSERT_EQ(scan_flaws(ops, GetParam(), seed, n), "");
    }
  }
}

TEST(GpuScansOnAStream, MayBeReplayed) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  EXPECT_EQ(queued_scan_flaws(gpu, 3'000'000), "");
}

INSTANTIATE_TEST_SUITE_P(Types, GpuScans,
                         testing::Values(f64, f32, f16, bf16, i64, u64, i32, u32, i16, u16, i8, u8,
                                         DType::boolean),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
