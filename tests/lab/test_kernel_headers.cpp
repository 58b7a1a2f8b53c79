// Names that kernels use from headers: host headers, which nvcc includes by itself, and CUB's.
#include <gtest/gtest.h>

#include <filesystem>

#include "kernel.hpp"
#include "onefold/system/jit/nvrtc.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

class KernelHeaders : public testing::TestWithParam<const char*> {};

TEST_P(KernelHeaders, GiveTheConstantsThatNvccKnows) {
  const std::string compiler = GetParam();
  if (compiler == "nvrtc" && !jit::Nvrtc::get().usable()) GTEST_SKIP() << "no NVRTC";
  if (compiler == "clang" && std::system("clang --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no clang";
  }
  const Scratch file(
      "__global__ void k(double* y) {\n  y[0] = INFINITY; y[1] = -HUGE_VAL; y[2] = isnan(NAN);\n"
      "  y[3] = INT32_MAX; y[4] = UINT8_MAX; y[5] = FLT_MAX == 3.402823466e+38f; y[6] = M_PI;\n"
      "  int64_t q = INT64_MIN; y[7] = q; y[8] = SIZE_MAX;\n}\n",
      ".cu");
  KernelOptions o = options(file.path, "k<<<1, 1>>>(y)", "y:f64[9]");
  o.compiler = compiler;
  const KernelResult r = run_kernel(o);
  std::vector<std::string> values;
  for (Size i = 0; i < 9; ++i) values.push_back(element_text(r.arguments[0], i));
  EXPECT_EQ(values, (std::vector<std::string>{"inf", "-inf", "1", "2147483647", "255", "1",
                                              "3.141592653589793", "-9.223372036854776e+18",
                                              "1.8446744073709552e+19"}));
}
INSTANTIATE_TEST_SUITE_P(, KernelHeaders, testing::Values("nvrtc", "clang"),
                         [](const auto& i) { return std::string(i.param); });

TEST(KernelCub, HasBlocksAndWarpsWhereTheToolkitIs) {
  if (!jit::Nvrtc::get().usable() ||
      !std::filesystem::exists("/usr/local/cuda/include/cccl/cub/cub.cuh")) {
    GTEST_SKIP() << "no toolkit";
  }
  const Scratch file(
      "#include <cub/cub.cuh>\n__global__ void k(const int* x, int* y) {\n"
      "  using Reduce = cub::BlockReduce<int, 128>;\n  using Scan = cub::WarpScan<int>;\n"
      "  __shared__ typename Reduce::TempStorage r;\n  __shared__ typename Scan::TempStorage "
      "s[4];\n"
      "  int sum = Reduce(r).Sum(x[threadIdx.x]), before;\n"
      "  Scan(s[threadIdx.x / 32]).ExclusiveSum(1, before);\n"
      "  if (threadIdx.x == 127) y[1] = before;\n  if (threadIdx.x == 0) y[0] = sum;\n}\n",
      ".cu");
  const KernelResult r =
      run_kernel(options(file.path, "k<<<1, 128>>>(x, y)", "x:i32[128]=iota, y:i32[2]"));
  EXPECT_TRUE(r.clean()) << to_table(r);
  EXPECT_EQ(element(r, "y", 0), 8128);
  EXPECT_EQ(element(r, "y", 1), 31);
}

TEST(KernelCub, NeedsNvrtc) {
  if (std::find(compilers().begin(), compilers().end(), "clang") == compilers().end() ||
      !std::filesystem::exists("/usr/local/cuda/include/cccl/cuda/atomic")) {
    GTEST_SKIP() << "no clang, or no toolkit";
  }
  const Scratch file("#include <cuda/atomic>\n__global__ void k(int* y) { y[0] = 1; }\n", ".cu");
  KernelOptions o = options(file.path, "k<<<1, 1>>>(y)", "y:i32[1]");
  o.compiler = "clang";
  try {
    run_kernel(o);
    ADD_FAILURE();
  } catch (const ptx::DoesNotCompile& e) {
    EXPECT_NE(std::string(e.what()).find("clang cannot compile CUDA's C++ headers"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
