// Arrays with more than 2^31 and 2^32 elements on a device. Label gpu.
#include "check.hpp"
#include "gpu/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuSizes : public testing::TestWithParam<Size> {};

TEST_P(GpuSizes, OfBytesFoldToTheLastOne) {
  SKIP_WITHOUT_DEVICE();
  const Size n = GetParam();
  jit::Gpu gpu;
  const DeviceBytes x(gpu, n);
  gpu.fill(x.address(), 1, n);
  // The borders of 32-bit indices, and the last element.
  Size zeros = 0;
  int64_t sum = static_cast<int64_t>(n);
  for (const Size i :
       {Size{0}, (Size{1} << 31) - 1, Size{1} << 31, (Size{1} << 32) - 1, Size{1} << 32, n - 1}) {
    if (i >= n) continue;
    if (x.read<int8_t>(1, i)[0] == 0) continue;
    x.write(std::vector<int8_t>{0}, i);
    ++zeros;
    --sum;
  }
  x.write(std::vector<int8_t>{-7}, n - 2);
  x.write(std::vector<int8_t>{9}, n - 3);
  const ArrayRef ref(x.data(), i8, Dims(n));
  const Answers a = fold("sum,argmin,argmax,min,max,count_zero,count", ref, {.device = cuda()});
  EXPECT_EQ(a.get<int64_t>("sum"), sum - 8 + 8);
  EXPECT_EQ(a.get<int64_t>("argmin"), static_cast<int64_t>(n - 2));
  EXPECT_EQ(a.get<int64_t>("argmax"), static_cast<int64_t>(n - 3));
  EXPECT_EQ(a.get<int8_t>("min"), -7);
  EXPECT_EQ(a.get<int8_t>("max"), 9);
  EXPECT_EQ(a.get<int64_t>("count_zero"), static_cast<int64_t>(zeros));
  EXPECT_EQ(a.get<int64_t>("count"), static_cast<int64_t>(n));
}

INSTANTIATE_TEST_SUITE_P(Sizes, GpuSizes,
                         testing::Values((Size{1} << 31) + 4099, (Size{1} << 32) + 4101));

TEST(GpuSizes, OfFloatsSumToTheLastOne) {
  SKIP_WITHOUT_DEVICE();
  const Size n = (Size{1} << 32) + 1027;
  jit::Gpu gpu;
  const DeviceBytes x(gpu, n * 4), out(gpu, 8);
  gpu.fill(x.address(), 0, n * 4);
  for (const Size i :
       {(Size{1} << 31) - 1, Size{1} << 31, (Size{1} << 32) - 1, Size{1} << 32, n - 1}) {
    x.write(std::vector<float>{0.25F}, i * 4);
  }
  fold_into({out.data(), f32, Dims(1)}, "sum", ArrayRef(x.data(), f32, Dims(n)),
            {.device = cuda()});
  gpu.synchronize_all();
  EXPECT_EQ(out.read<float>(1)[0], 1.25F);
}

// Products of integers are lifted into words of 64 bits each; n * 2^32 does not fit one.
TEST(GpuSizes, OfProductsDoNotWrap) {
  SKIP_WITHOUT_DEVICE();
  const Size n = (Size{1} << 31) + (Size{1} << 28) + 5;
  jit::Gpu gpu;
  const DeviceBytes x(gpu, n * 2), out(gpu, 8);
  gpu.fill(x.address(), 0xff, n * 2);
  const ArrayRef ref(x.data(), u16, Dims(n));
  // 65535^2 < 2^32, so the sum of n of them needs 63.2 bits.
  const Uint128 whole = Uint128{n} * 65535 * 65535;
  fold_into({out.data(), u64, Dims(1)}, "dot", ref, ref, {.device = cuda()});
  EXPECT_EQ(out.read<uint64_t>(1)[0], static_cast<uint64_t>(whole));
  EXPECT_EQ(fold("dot", ref, ref, {.device = cuda()}).get<uint64_t>("dot"),
            static_cast<uint64_t>(whole));
}

}  // namespace ONEFOLD_FILE
