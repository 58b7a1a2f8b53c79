// Each error on a device has a type, gives no wrong value, and leaves the library working if CUDA
// allows it. Label gpu.
#include "check.hpp"
#include "gpu/device.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;
using namespace onefold::test;

template <class F>
ErrorCode code_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_STRNE(e.what(), "");
    return e.code();
  }
  return ErrorCode::ok;
}

class GpuErrors : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_DEVICE(); }
  // Expects that the library works after an error.
  static void expect_usable() {
    const std::vector<double> x(1000, 0.5);
    EXPECT_EQ(fold("sum", x, {.device = cuda()}).get<double>("sum"), 500);
  }
};

TEST_F(GpuErrors, OfAHostPointerThatIsSaidToBeOnTheDevice) {
  const std::vector<double> x(1000, 0.5);
  ArrayRef ref(x);
  ref.device = cuda();
  EXPECT_EQ(code_of([&] { fold("sum", ref); }), ErrorCode::bad_option);
  double sum = 0;
  EXPECT_EQ(code_of([&] { fold_into({&sum, f64, Dims(1)}, "sum", ref); }), ErrorCode::bad_option);
  expect_usable();
}

TEST_F(GpuErrors, OfAnOutputAndAStatusInTwoPlaces) {
  jit::Gpu gpu;
  const DeviceBytes x(gpu, 80), out(gpu, 8);
  Status status = Status::ok;
  EXPECT_EQ(code_of([&] {
              fold_into({out.data(), i64, Dims(1), &status}, "sum",
                        ArrayRef(x.data(), i8, Dims(80)), {.device = cuda()});
            }),
            ErrorCode::bad_option);
  expect_usable();
}

TEST_F(GpuErrors, OfAHostOutputThereAreNone) {
  jit::Gpu gpu;
  const Stream stream;
  const DeviceBytes x(gpu, 80), out(gpu, 8);
  x.write(std::vector<double>(10, 1.5));
  const ArrayRef ref(x.data(), f64, Dims(10));
  double sum = 0;
  Status status = Status::overflow;
  fold_into({&sum, f64, Dims(1), &status}, "sum", ref, {.device = cuda(), .stream = stream.get()});
  EXPECT_EQ(sum, 15);
  EXPECT_EQ(status, Status::ok);
  // Host data with an output on the device: this call waits, too.
  const std::vector<double> host(4, 2.5);
  fold_into({out.data(), f64, Dims(1)}, "sum", host, {.device = cuda()});
  EXPECT_EQ(out.read<double>(1)[0], 10);
}

TEST_F(GpuErrors, OfABadStatusGoToItsPlace) {
  jit::Gpu gpu;
  const Stream stream;
  const DeviceBytes x(gpu, 80), out(gpu, 64);
  x.write(std::vector<int64_t>(10, int64_max));
  const OutputRef outs[] = {
      {out.data(), i64, Dims(1), reinterpret_cast<Status*>(out.data() + 32)},
      {out.data() + 8, i64, Dims(1), reinterpret_cast<Status*>(out.data() + 33)}};
  fold_into(outs, "sum,max", ArrayRef(x.data(), i64, Dims(10)),
            {.device = cuda(), .stream = stream.get()});
  stream.synchronize();
  EXPECT_EQ(out.read<int64_t>(2), (std::vector<int64_t>{0, int64_max}));
  EXPECT_EQ(out.read<uint8_t>(2, 32), (std::vector<uint8_t>{1, 0}));
  // There is nothing to fold.
  fold_into(outs, "sum,max", ArrayRef(x.data(), i64, Dims(0)),
            {.device = cuda(), .stream = stream.get()});
  stream.synchronize();
  EXPECT_EQ(out.read<int64_t>(2), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(out.read<uint8_t>(2, 32),
            (std::vector<uint8_t>{0, static_cast<uint8_t>(Status::empty_input)}));
}

TEST_F(GpuErrors, OfPointersThatAreNoMultipleOfTheElement) {
  jit::Gpu gpu;
  const DeviceBytes x(gpu, 800), out(gpu, 8);
  for (const DType t : {f16, f32, f64, i16, i64}) {
    for (std::size_t off = 1; off < bytes_of(t); ++off) {
      EXPECT_EQ(code_of([&] {
                  fold("count", ArrayRef(x.data() + off, t, Dims(10)), {.device = cuda()});
                }),
                ErrorCode::misaligned);
    }
  }
  expect_usable();
}

TEST_F(GpuErrors, OfADeviceThatIsNotThere) {
  const std::vector<double> x(10);
  EXPECT_EQ(code_of([&] { fold("sum", x, {.device = cuda(99)}); }), ErrorCode::no_backend);
  EXPECT_EQ(code_of([&] { fold("sum", x, {.device = cuda(-1)}); }), ErrorCode::no_backend);
  expect_usable();
}

TEST_F(GpuErrors, OfACallThatWouldWaitWithinACapture) {
  jit::Gpu gpu;
  const Stream stream;
  const DeviceBytes x(gpu, 80), out(gpu, 8);
  x.write(std::vector<double>(10, 1.5));
  const ArrayRef ref(x.data(), f64, Dims(10));
  const Options options{.device = cuda(), .stream = stream.get()};
  // The error must not end the capture.
  const Graph graph(stream, [&] {
    EXPECT_EQ(code_of([&] { fold("sum", ref, options); }), ErrorCode::bad_option);
    double host = 0;
    EXPECT_EQ(code_of([&] {
                fold_into({&host, f64, Dims(1)}, "sum", ref, options);
              }),
              ErrorCode::bad_option);
    fold_into({out.data(), f64, Dims(1)}, "sum", ref, options);
  });
  graph.replay(stream);
  stream.synchronize();
  EXPECT_EQ(out.read<double>(1)[0], 15);
  expect_usable();
}

TEST_F(GpuErrors, OfMemoryThatRanOut) {
  jit::Gpu gpu;
  const std::vector<float> x(std::size_t{1} << 22, 0.25F);
  std::vector<uint64_t> taken;
  for (std::size_t bytes = std::size_t{1} << 36; bytes >= 1 << 20;) {
    try {
      taken.push_back(gpu.allocate(bytes));
    } catch (const jit::CudaError&) {
      bytes /= 2;
    }
  }
  // Whole arrays may use an existing copy lane; a nest needs device memory of its own.
  const ArrayRef grid(x.data(), f32, {1 << 11, 1 << 11});
  EXPECT_EQ(code_of([&] { fold("sum", grid, {.axes = {0}, .device = cuda()}); }),
            ErrorCode::out_of_memory);
  for (const uint64_t a : taken) gpu.free(a);
  EXPECT_EQ(fold("sum", x, {.device = cuda()}).get<float>("sum"), 1 << 20);
}

// A kernel that faults ends the context: every later call reports that, and nothing crashes.
TEST_F(GpuErrors, OfMemoryThatIsFreed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        jit::Gpu gpu;
        const uint64_t mine = gpu.allocate(std::size_t{1} << 30);
        const ArrayRef beyond(reinterpret_cast<const double*>(mine), f64, Dims(Size{1} << 34));
        const ErrorCode first = code_of([&] { fold("sum", beyond, {.device = cuda()}); });
        const std::vector<double> x(1000, 0.5);
        const ErrorCode second = code_of([&] { fold("sum", x, {.device = cuda()}); });
        double sum = fold("sum", x).get<double>("sum");  // the processor still works
        const bool right =
            first == ErrorCode::device_failed && second == ErrorCode::device_failed && sum == 500;
        std::_Exit(right ? 42 : 1);
      },
      testing::ExitedWithCode(42), "");
}

}  // namespace ONEFOLD_FILE
