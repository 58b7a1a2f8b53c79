// Sums and means by digits (kernel/quick/digits.hpp) on a simulated chip with few FP64 lanes: all
// kernels for rows and columns, the answers that they leave undecided, and whole arrays.
#include "driver/requests.hpp"
#include "gpu/masks.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

struct Digits {
  const char* ops;
  DType dtype;
  Dims shape;
  Axes axes;
  const char* walk;
};

const std::vector<Digits> cases = {{"sum,mean", f32, {8300, 4}, Axes(Dims(1)), "rows_by_1"},
                                   {"sum,mean", f32, {2050, 16}, Axes(Dims(1)), "rows_by_4"},
                                   {"sum,mean", f32, {1030, 64}, Axes(Dims(1)), "rows_by_8"},
                                   {"sum,mean", f32, {257, 256}, Axes(Dims(1)), "rows_by_32"},
                                   {"sum,mean", f32, {70, 203}, Axes(Dims(1)), "any_rows"},
                                   {"sum,mean", f32, {3, 40000}, Axes(Dims(1)), "long_rows"},
                                   {"sum,mean", f32, {5, 8200}, Axes(Dims(0)), "even_columns"},
                                   {"sum,mean", f32, {66, 2048}, Axes(Dims(0)), "even_columns"},
                                   {"sum,mean", f32, {600, 40, 3}, Axes(Dims(1)), "single_columns"},
                                   {"sum,mean", f32, {9000, 7}, Axes(Dims(0)), "columns"},
                                   {"sum,mean", f32, {20, 30, 40}, Axes(Dims{0, 2}), "any_rows"},
                                   {"sum", bf16, {8300, 8}, Axes(Dims(1)), "rows_by_1"},
                                   {"sum", bf16, {2050, 32}, Axes(Dims(1)), "rows_by_4"},
                                   {"mean", bf16, {1030, 128}, Axes(Dims(1)), "rows_by_8"},
                                   {"sum", bf16, {257, 1024}, Axes(Dims(1)), "rows_by_32"},
                                   {"sum", bf16, {130, 333}, Axes(Dims(1)), "any_rows"},
                                   {"mean", bf16, {5, 16400}, Axes(Dims(0)), "even_columns"},
                                   {"sum", bf16, {130, 23, 64}, Axes(Dims(1)), "even_columns"},
                                   {"sum", bf16, {70, 70, 3}, Axes(Dims(1)), "single_columns"},
                                   {"mean", bf16, {3000, 24}, Axes(Dims(0)), "columns"},
                                   {"sum", bf16, {3001, 5}, Axes(Dims(0)), "columns"},
                                   {"sum", f16, {2050, 32}, Axes(Dims(1)), "rows_by_4"},
                                   {"sum", f16, {257, 512}, Axes(Dims(1)), "rows_by_32"},
                                   {"sum", f16, {130, 333}, Axes(Dims(1)), "any_rows"},
                                   {"sum", f16, {66, 2048}, Axes(Dims(0)), "even_columns"},
                                   {"sum", f16, {3001, 5}, Axes(Dims(0)), "columns"}};

class OnSuchAChip : public testing::Test {
 protected:
  void SetUp() override {
    control().flaws = "";
    control().chip = 120;
  }
  void TearDown() override {
    control().chip = 90;
    EXPECT_EQ(control().flaws, "");
  }
};

class SimulatedDigits : public OnSuchAChip, public testing::WithParamInterface<Digits> {};

TEST_P(SimulatedDigits, GiveTheBitsOfTheProcessor) {
  const Digits& c = GetParam();
  Size n = 1;
  for (const int64_t extent : c.shape) n *= static_cast<Size>(extent);
  jit::Gpu gpu;
  if (gpu.facts().chip != "sm_120") GTEST_SKIP() << "this process has opened another chip";
  std::string launched;
  control().launched = &launched;
  for (const char* how : {"normal", "random_bits", "any_bits", "half_ulp_ties", "cancellation",
                          "zeros", "constant", "lognormal3"}) {
    const Data data = generate(how, c.dtype, n, 3);
    const TwoArrays x(gpu, data, 0, 0, c.shape, row_major(c.shape, c.dtype));
    EXPECT_EQ(flaws_of(c.ops, x, nullptr, {.axes = c.axes}), "") << how;
  }
  control().launched = nullptr;
  EXPECT_NE(launched.find(std::string("_") + c.walk + "_by_digits"), std::string::npos) << launched;
  EXPECT_NE(launched.find("_undecided_by_digits"), std::string::npos) << launched;
}

struct WholeDigits {
  const char* ops;
  DType dtype;
};
class SimulatedDigitsOfWholes : public OnSuchAChip,
                                public testing::WithParamInterface<WholeDigits> {};

// Kernels give states if the answers are for the host, and answers that stay on the device.
TEST_P(SimulatedDigitsOfWholes, GiveTheBitsOfTheProcessor) {
  const WholeDigits& c = GetParam();
  jit::Gpu gpu;
  if (gpu.facts().chip != "sm_120") GTEST_SKIP() << "this process has opened another chip";
  const Stream stream;
  const DeviceBytes out(gpu, 16);
  std::string launched;
  control().launched = &launched;
  for (const std::string_view how : generators(c.dtype)) {
    for (const std::size_t n : {0, 1, 700, 70'003}) {
      const Data data = generate(how, c.dtype, n, n + 1);
      const DeviceBytes there(gpu, data.bytes() + 64);
      gpu.copy_in(there.address(), data.data(), data.bytes());
      const ArrayRef here(data.data(), c.dtype, Dims(n)), device(there.data(), c.dtype, Dims(n));
      const Value expected = fold(c.ops, here).list[0][0];
      EXPECT_EQ(fold(c.ops, here, {.device = cuda()}).list[0][0], expected) << how << " " << n;
      fold_into({out.data(), c.dtype, Dims(1), reinterpret_cast<Status*>(out.data() + 8)}, c.ops,
                device, {.device = cuda(), .stream = stream.get()});
      uint64_t bits = 0;
      std::memcpy(&bits, out.read<uint64_t>(1).data(), bytes_of(c.dtype));
      EXPECT_EQ(bits, expected.bits) << how << " " << n;
    }
  }
  control().launched = nullptr;
  const std::string whole = std::string("_") + name_of(c.dtype) + "_whole_";
  for (const std::string& name : {"_tally" + whole + "digits", c.ops + whole + "digits"}) {
    EXPECT_TRUE(launched.find(name) != std::string::npos) << name;
  }
  EXPECT_TRUE(launched.find(whole + "s") == std::string::npos) << "single or small";
}

INSTANTIATE_TEST_SUITE_P(Types, SimulatedDigitsOfWholes,
                         testing::Values(WholeDigits{"sum", f32}, WholeDigits{"mean", f32},
                                         WholeDigits{"sum", bf16}, WholeDigits{"mean", bf16},
                                         WholeDigits{"sum", f16}, WholeDigits{"mean", f16},
                                         WholeDigits{"var", f32}, WholeDigits{"var", bf16},
                                         WholeDigits{"var", f16}),
                         in_words<WholeDigits>);
INSTANTIATE_TEST_SUITE_P(Shapes, SimulatedDigits, testing::ValuesIn(cases), in_words<Digits>);

}  // namespace ONEFOLD_FILE
