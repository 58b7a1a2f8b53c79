// Folds of whole arrays on a device give the processor's bits. Label gpu.
#include <gtest/gtest.h>

#include "check.hpp"
#include "gpu/device.hpp"
#include "onefold/cuda/engine.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

std::string text_of(const Answers& got, const Answers& expected) {
  std::string s;
  for (std::size_t k = 0; k < got.list.size(); ++k) {
    const Value a = got.list[k][0], b = expected.list[k][0];
    if (a != b) {
      s += got.list[k].op + ": " + std::to_string(a.bits) + " " + name_of(a.status) + ", not " +
           std::to_string(b.bits) + " " + name_of(b.status) + "\n";
    }
  }
  return s;
}

class GpuWhole : public testing::TestWithParam<DType> {};

TEST_P(GpuWhole, GivesTheBitsOfTheProcessor) {
  SKIP_WITHOUT_DEVICE();
  const DType t = GetParam();
  jit::Gpu gpu;
  constexpr std::size_t most = 1 << 19;
  DeviceBytes memory(gpu, (most + 64) * bytes_of(t)), other(gpu, (most + 64) * bytes_of(t));
  Random r(static_cast<uint64_t>(t) + 1);
  const std::string sets[] = {
      ops_of_one_array(t), "sum",       "norm1", "norm2", "var", "sum,norm1,norm2", "argmin", "max",
      "count_nonzero",     "count_nan", "dot"};
  for (const std::string& ops : sets) {
    const bool two = ops == "dot";
    for (const std::string_view generator : generators(t)) {
      for (int round = 0; round < 3; ++round) {
        const std::size_t n = pick_log(r, 1, most);
        const uint64_t seed = r();
        const Data x = generate(generator, t, n, seed), y = generate(generator, t, n, seed + 1);
        const std::size_t skip = pick(r, 0, 17) * bytes_of(t),
                          skip_y = pick(r, 0, 17) * bytes_of(t);
        gpu.copy_in(memory.address() + skip, x.data(), x.bytes());
        if (two) gpu.copy_in(other.address() + skip_y, y.data(), y.bytes());
        const Dims shape(n);
        const ArrayRef on_device(memory.data() + skip, t, shape), on_host(x.data(), t, shape);
        const ArrayRef y_device(other.data() + skip_y, t, shape), y_host(y.data(), t, shape);
        const Options cuda_options{.device = cuda()};
        const Answers got =
            two ? fold(ops, on_device, y_device, cuda_options) : fold(ops, on_device, cuda_options);
        const Answers expected = two ? fold(ops, on_host, y_host) : fold(ops, on_host);
        ASSERT_EQ(text_of(got, expected), "") << ops << " " << describe(generator, t, n, seed);
      }
    }
  }
}

// Sums as on a chip with few FP64 lanes.
class GpuDigits : public testing::TestWithParam<DType> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_DEVICE();
    was_ = cuda_backend::Engine::of(0).few_f64;
    cuda_backend::Engine::of(0).few_f64 = true;
  }
  void TearDown() override {
    if (!IsSkipped()) cuda_backend::Engine::of(0).few_f64 = was_;
  }

 private:
  bool was_ = false;
};
TEST_P(GpuDigits, GiveTheBitsOfTheProcessor) {
  const DType t = GetParam();
  jit::Gpu gpu;
  constexpr std::size_t most = std::size_t{1} << 22;
  DeviceBytes memory(gpu, (most + 64) * bytes_of(t));
  Random r(static_cast<uint64_t>(t) + 1);
  for (const std::string_view generator : generators(t)) {
    for (int round = 0; round < 4; ++round) {
      const std::size_t n = round == 3 ? most - 5 : pick_log(r, 1, most / 8);
      const uint64_t seed = r();
      const Data x = generate(generator, t, n, seed);
      const std::size_t skip = pick(r, 0, 17) * bytes_of(t);
      gpu.copy_in(memory.address() + skip, x.data(), x.bytes());
      const ArrayRef on_device(memory.data() + skip, t, Dims(n)), on_host(x.data(), t, Dims(n));
      for (const std::string ops :
           {"sum", "mean", "norm1", "sum,mean", "norm2", "var", "mean,std"}) {
        const Answers got = fold(ops, on_device, Options{.device = cuda()});
        ASSERT_EQ(text_of(got, fold(ops, on_host)), "")
            << ops << " " << describe(generator, t, n, seed);
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Types, GpuDigits, testing::Values(f32, bf16, f16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// So many elements that whole blocks give up: the first launch has more blocks than run at once.
TEST(GpuWholeLarge, TakesWhatIsGivenUp) {
  SKIP_WITHOUT_DEVICE();
  jit::Gpu gpu;
  for (const DType t : {f16, bf16, f32, f64}) {
    const std::size_t n = (std::size_t{1} << 26) / bytes_of(t) + 12'345;
    DeviceBytes memory(gpu, n * bytes_of(t));
    for (const std::string_view generator : {"any_bits", "random_bits", "lognormal3", "blocks"}) {
      const Data x = generate(generator, t, n, 9);
      gpu.copy_in(memory.address(), x.data(), x.bytes());
      const ArrayRef on_device(memory.data(), t, Dims(n)), on_host(x.data(), t, Dims(n));
      for (const std::string ops :
           {"sum", "norm2", "var", "norm1,sum,var,argmin,argmax,count_inf"}) {
        const Answers expected = fold(ops, on_host);
        for (int round = 0; round < 2; ++round) {
          const Answers got = fold(ops, on_device, Options{.device = cuda()});
          ASSERT_EQ(text_of(got, expected), "") << ops << " " << describe(generator, t, n, 9);
        }
      }
      // With the neighbouring elements as second array, which has another alignment.
      const auto pairs = [&](const std::byte* p, const Options& options) {
        const ArrayRef a(p, t, Dims(n - 1)), b(p + bytes_of(t), t, Dims(n - 1));
        return fold("dot", a, b, options);
      };
      const Answers expected = pairs(static_cast<const std::byte*>(x.data()), {});
      for (int round = 0; round < 2; ++round) {
        const Answers got = pairs(memory.data(), {.device = cuda()});
        ASSERT_EQ(text_of(got, expected), "") << "dot " << describe(generator, t, n, 9);
      }
    }
  }
}

std::vector<DType> all_types() {
  return {
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) DType::name,
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
  };
}

INSTANTIATE_TEST_SUITE_P(Types, GpuWhole, testing::ValuesIn(all_types()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
