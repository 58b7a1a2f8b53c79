// Every exponent with all fraction bits set, and enough elements to fill every window, gives the
// processor's bits. Label gpu.
#include "check.hpp"
#include "gpu/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class GpuExponents : public testing::TestWithParam<DType> {};

TEST_P(GpuExponents, GiveTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const DType t = GetParam();
  constexpr std::size_t n = 300000;
  jit::Gpu gpu;
  const DeviceBytes a(gpu, n * bytes_of(t)), b(gpu, n * bytes_of(t));
  const Options there{.device = cuda()};
  Random r(3);
  for (int e = 0; e < exponents(t); ++e) {
    const int partner = static_cast<int>(pick(r, 0, static_cast<uint64_t>(exponents(t)) - 1));
    const Data x = largest(t, e, e % 2 != 0, n), y = largest(t, partner, e % 3 != 0, n);
    gpu.copy_in(a.address(), x.data(), x.bytes());
    gpu.copy_in(b.address(), y.data(), y.bytes());
    const ArrayRef host(x.data(), t, Dims(n)), host_y(y.data(), t, Dims(n));
    const ArrayRef here(a.data(), t, Dims(n)), here_y(b.data(), t, Dims(n));
    // Single ops, and several together, because these have different kernels.
    for (const char* ops : {"sum", "norm1", "norm2", "sum,norm1,var,norm2"}) {
      const Answers got = fold(ops, here, there), expected = fold(ops, host);
      for (std::size_t k = 0; k < got.list.size(); ++k) {
        ASSERT_EQ(got.list[k][0], expected.list[k][0]) << got.list[k].op << ", exponent " << e;
      }
    }
    ASSERT_EQ(fold("dot", here, here_y, there).list[0][0], fold("dot", host, host_y).list[0][0])
        << "exponents " << e << " and " << partner;
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuExponents, testing::Values(f16, bf16, f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
