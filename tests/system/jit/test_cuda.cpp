#include <gtest/gtest.h>

#include <vector>

#include "onefold/system/jit/cuda.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace ONEFOLD_FILE {

using onefold::jit::Driver;
using onefold::jit::Gpu;
using onefold::jit::Nvrtc;

TEST(Driver, SaysWhyItCannotBeUsed) {
  if (Driver::get().usable()) GTEST_SKIP() << "a device is there";
  EXPECT_FALSE(Driver::get().why().empty());
  EXPECT_THROW(Gpu gpu, onefold::jit::CudaError);
}

TEST(Gpu, RunsWhatNvrtcCompiled) {
  if (!Driver::get().usable()) GTEST_SKIP() << Driver::get().why();
  if (!Nvrtc::get().usable()) GTEST_SKIP() << Nvrtc::get().library().why;
  Gpu gpu;
  const auto cubin = Nvrtc::get().compile(
      "extern \"C\" __global__ void twice(int* x, int n) {"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }",
      gpu.facts().chip);
  ASSERT_FALSE(cubin.image.empty()) << cubin.log;
  void* twice = gpu.function(gpu.load(cubin.image), "twice");
  int n = 1000;
  std::vector<int> x(1000, 21);
  uint64_t address = gpu.allocate(4000);
  gpu.copy_in(address, x.data(), 4000);
  void* args[] = {&address, &n};
  gpu.launch(twice, {.grid = 4, .block = 256}, args);
  gpu.copy_out(x.data(), address, 4000);
  EXPECT_EQ(x, std::vector<int>(1000, 42));
  EXPECT_GT(gpu.median_ms([&] { gpu.launch(twice, {.grid = 4, .block = 256}, args); }, 5), 0);
  gpu.free(address);
}

}  // namespace ONEFOLD_FILE
