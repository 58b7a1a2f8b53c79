// The engine from the API to the kernels, on a simulated device.
#include <numeric>

#include "driver/device.hpp"
#include "generate.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

class Simulated : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(control().flaws, ""); }
};

// Returns the single answer, as bits and a status.
Value value_of(const Answers& answers) { return answers.list[0][0]; }

// A launch without a stream uses the device's own stream, and waiting without a stream waits for
// that one.
TEST_F(Simulated, WaitsForItsOwnStreamWhereNoneIsNamed) {
  jit::Gpu gpu;
  const DeviceBytes memory(gpu, 1);
  const Deferred deferred;
  gpu.fill(memory.address(), 7, 1);
  void* const none = nullptr;
  gpu.synchronize(none);
  EXPECT_EQ(*memory.data(), std::byte{7});
}

// Arrays of more than 8 MiB have a second launch, for the tiles that the first skips.
constexpr std::size_t followed = (std::size_t{1} << 20) + 3;

TEST_F(Simulated, DeviceGivesTheBitsOfTheProcessor) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, followed}) {
    for (const char* generator : {"normal", "bits"}) {
      const Data x = generate(generator, f64, n, n + 1);
      const ArrayRef ref(x.data(), f64, Dims(n));
      EXPECT_EQ(value_of(fold("sum", ref, {.device = cuda()})), value_of(fold("sum", ref)))
          << generator << " " << n;
    }
  }
  const Data i = generate("bits", i32, 3000, 1);
  const ArrayRef integers(i.data(), i32, Dims(3000));
  EXPECT_EQ(value_of(fold("argmin", integers, {.device = cuda()})),
            value_of(fold("argmin", integers)));
  const Data a = generate("normal", f32, 3000, 2), b = generate("normal", f32, 3000, 3);
  const ArrayRef left(a.data(), f32, Dims(3000)), right(b.data(), f32, Dims(3000));
  EXPECT_EQ(value_of(fold("dot", left, right, {.device = cuda()})),
            value_of(fold("dot", left, right)));
}

TEST_F(Simulated, AnswersStayOnTheDevice) {
  jit::Gpu gpu;
  const Stream stream;
  const DeviceBytes x(gpu, 8000), out(gpu, 16);
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0.0);
  x.write(values);
  fold_into({out.data(), f64, Dims(1), reinterpret_cast<Status*>(out.data() + 8)}, "sum",
            ArrayRef(x.data(), f64, Dims(1000)), {.device = cuda(), .stream = stream.get()});
  EXPECT_EQ(out.read<double>(1)[0], 499500);
  EXPECT_EQ(out.read<uint8_t>(1, 8)[0], 0);
}

TEST_F(Simulated, RefusesAStreamForDataOfTheHost) {
  jit::Gpu gpu;
  const Stream stream;
  const std::vector<double> x{1, 2, 4};
  const Options options{.device = cuda(), .stream = stream.get()};
  EXPECT_THROW(fold("sum", x, options), Error);
  EXPECT_THROW(gather("sum", x, options), Error);
}

// A whole array of squares is one long row; of equal elements its totals decide nothing, and the
// kernel for whole arrays, which is queued behind it, folds them again.
TEST_F(Simulated, LongRowsAreFoldedAgainWhereTheyAreUndecided) {
  for (const std::size_t n : {std::size_t{300}, std::size_t{1001}, std::size_t{50'003}}) {
    jit::Gpu gpu;
    const DeviceBytes x(gpu, 4 * n + 4), out(gpu, 16);
    for (const char* data : {"normal", "bits", "equal", "far"}) {
      const bool made = data[0] == 'n' || data[0] == 'b';
      const Data some = generate(made ? data : "normal", f32, n, n);
      std::vector<float> values(n + 1, 0.1f);
      for (std::size_t i = 0; i < n && data[0] != 'e'; ++i) {
        const float v = reinterpret_cast<const float*>(some.data())[i];
        values[i + 1] = made ? v : 1000 + v / 256;
      }
      x.write(values);
      // The array begins in the middle of a load.
      const ArrayRef here(x.data() + 4, f32, Dims(n)), host(values.data() + 1, f32, Dims(n));
      const Value expected = value_of(fold("var", host));
      std::string launched;
      control().launched = &launched;
      fold_into({out.data(), f32, Dims(1), reinterpret_cast<Status*>(out.data() + 8)}, "var", here,
                {.device = cuda()});
      const auto found = out.read<uint32_t>(1)[0];
      control().launched = nullptr;
      EXPECT_EQ(found, static_cast<uint32_t>(expected.bits)) << data << " " << n;
      EXPECT_EQ(out.read<uint8_t>(1, 8)[0], 0);
      EXPECT_NE(launched.find("_long_rows "), std::string::npos) << launched;
      EXPECT_NE(launched.find("_whole"), std::string::npos) << launched;
      EXPECT_EQ(value_of(fold("var", here, {.device = cuda()})), expected) << data << " " << n;
    }
  }
}

TEST_F(Simulated, VariancesTakeEveryDdof) {
  jit::Gpu gpu;
  const DeviceBytes x(gpu, 8000), out(gpu, 8);
  const Data values = generate("normal", f64, 1000, 8);
  x.write(std::vector<double>(reinterpret_cast<const double*>(values.data()),
                              reinterpret_cast<const double*>(values.data()) + 1000));
  for (const double ddof : {0.0, 1.0, 0.5, 0.125, 999.875, -3.25, 0x1p-29, 1000 - 0x1p-29, 1e18}) {
    Value expected =
        value_of(fold("var", ArrayRef(values.data(), f64, Dims(1000)), {.ddof = ddof}));
    fold_into({out.data(), f64, Dims(1)}, "var", ArrayRef(x.data(), f64, Dims(1000)),
              {.ddof = ddof, .device = cuda()});
    EXPECT_EQ(out.read<uint64_t>(1)[0], expected.bits) << ddof;
  }
}

// Once a kernel is there, a call makes no allocation, query of the device or setting. It waits only
// for the answer's words, which a kernel writes to host memory.
TEST_F(Simulated, WarmedUpCallsAskTheDriverForLittle) {
  jit::Gpu gpu;
  const Stream stream;
  const DeviceBytes x(gpu, 8 * followed), out(gpu, 16);
  x.write(std::vector<double>(followed, 0.5));
  const auto calls_of = [](auto&& call) {
    call();
    std::string heard;
    control().heard = &heard;
    call();
    control().heard = nullptr;
    return heard;
  };
  for (const std::size_t n : {std::size_t{1000}, followed}) {
    const ArrayRef ref(x.data(), f64, Dims(n));
    const std::string launches =
        n == followed ? "cuLaunchKernel cuLaunchKernel " : "cuLaunchKernel ";
    EXPECT_EQ(calls_of([&] { fold("sum", ref, {.device = cuda(), .stream = stream.get()}); }),
              "cuCtxPushCurrent cuThreadExchangeStreamCaptureMode cuPointerGetAttributes "
              "cuStreamGetCaptureInfo cuStreamGetId " +
                  launches + "cuThreadExchangeStreamCaptureMode cuCtxPopCurrent ");
    EXPECT_EQ(calls_of([&] { fold("sum", ref, {.device = cuda()}); }),
              "cuCtxPushCurrent cuThreadExchangeStreamCaptureMode cuPointerGetAttributes "
              "cuStreamGetId " +
                  launches + "cuThreadExchangeStreamCaptureMode cuCtxPopCurrent ");
    EXPECT_EQ(calls_of([&] {
                fold_into({out.data(), f64, Dims(1), reinterpret_cast<Status*>(out.data() + 8)},
                          "sum", ref, {.device = cuda(), .stream = stream.get()});
              }),
              "cuCtxPushCurrent cuPointerGetAttributes cuPointerGetAttributes "
              "cuPointerGetAttributes cuStreamGetCaptureInfo cuStreamGetId " +
                  launches + "cuCtxPopCurrent ");
  }
}

TEST_F(Simulated, GraphsOfOneStreamHaveWorkspacesOfTheirOwn) {
  jit::Gpu gpu;
  const Stream stream;
  const DeviceBytes x(gpu, 800), out(gpu, 16);
  x.write(std::vector<double>(100, 0.5));
  const Options options{.device = cuda(), .stream = stream.get()};
  const auto queue = [&](std::size_t k, Size n) {
    fold_into({out.data() + 8 * k, f64, Dims(1)}, "sum", ArrayRef(x.data(), f64, Dims(n)), options);
  };
  queue(0, 100);  // the first call compiles and allocates
  std::size_t before = 0;
  for (int round = 0; round < 3; ++round) {
    const Graph one(stream, [&] { queue(0, 100); }), two(stream, [&] { queue(1, 10); });
    if (round == 0) before = control().bytes;
    for (int replay = 0; replay < 2; ++replay) {
      gpu.fill(out.address(), 0xa5, 16);
      two.replay(stream);
      one.replay(stream);
      EXPECT_EQ(out.read<double>(2), (std::vector<double>{50, 5}));
    }
  }
  EXPECT_EQ(control().bytes, before) << "each graph gives its workspace to the next";
}

}  // namespace ONEFOLD_FILE
