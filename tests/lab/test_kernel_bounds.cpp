// Accesses beyond the end of one variable, into another, and the names in messages about them.
#include <gtest/gtest.h>

#include "kernel.hpp"
#include "lab/kernel_declared.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Returns the first message about a kernel, for each compiler; empty: none.
std::vector<std::string> said(const std::string& text, const std::string& launch,
                              const std::string& args) {
  std::vector<std::string> all;
  for (const std::string& compiler : compilers()) {
    for (const bool as_written : {false, true}) {
      const Scratch file(text, ".cu");
      KernelOptions o = options(file.path, launch, args);
      o.compiler = compiler;
      o.as_written = as_written;
      const KernelResult r = run_kernel(o);
      all.push_back(r.flaws.empty() ? r.failure : r.flaws[0]);
    }
  }
  return all;
}
void expect_each(const std::vector<std::string>& all, const std::string& part) {
  for (const std::string& s : all) {
    if (part.empty()) {
      EXPECT_EQ(s, "");
    }
    EXPECT_NE(s.find(part), std::string::npos) << s;
  }
}

TEST(KernelBounds, OfASharedArrayAreNotThoseOfTheNext) {
  const auto kernel = [](const std::string& index) {
    return "#define N 4\n__global__ void k(const int* x, int* y) {\n  __shared__ int a[2 * N][N + "
           "4];\n"
           "  __shared__ int b[8];\n  int t = threadIdx.x;\n  b[t] = 5;\n"
           "  for (int j = 0; j < 8; ++j) a[t][j] = x[t * 8 + j];\n  __syncthreads();\n"
           "  y[t] = a[t][" +
           index + "] + b[t];\n}\n";
  };
  const std::string args = "x:i32[64]=iota, y:i32[8]";
  expect_each(said(kernel("t + 1"), "k<<<1, 8>>>(x, y)", args), "a[8][0] is out of bounds");
  expect_each(said(kernel("t"), "k<<<1, 8>>>(x, y)", args), "");
}

TEST(KernelBounds, OfSharedMemoryAreBytes) {
  const std::string text =
      "__global__ void k(float* y) {\n  extern __shared__ float s[];\n  s[threadIdx.x] = "
      "y[threadIdx.x];\n"
      "  __syncthreads();\n  y[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];\n}\n";
  expect_each(said(text, "k<<<1, 8, 32>>>(y)", "y:f32[8]=iota"), "");
  expect_each(said(text, "k<<<1, 8, 31>>>(y)", "y:f32[8]=iota"), "s[7] is out of bounds");
}

TEST(KernelBounds, OfALocalArrayAreItsOwn) {
  const std::string text =
      "__global__ void k(const int* x, int* y, int n) {\n  int l[8];\n"
      "  for (int i = 0; i <= n; ++i) l[i] = x[i];\n  int sum = 0;\n"
      "  for (int i = 0; i < n; ++i) sum += l[i * 3 % n];\n  y[threadIdx.x] = sum;\n}\n";
  for (const std::string& s : said(text, "k<<<1, 4>>>(x, y, 8)", "x:i32[16]=iota, y:i32[4]")) {
    EXPECT_TRUE(s.empty() || s.find("local memory at byte 32 is out of bounds") != s.npos) << s;
  }
  EXPECT_NE(said(text, "k<<<1, 4>>>(x, y, 8)", "x:i32[16]=iota, y:i32[4]")[0], "");
  expect_each(said(text, "k<<<1, 4>>>(x, y, 7)", "x:i32[16]=iota, y:i32[4]"), "");
}

TEST(KernelBounds, OfConstantsHaveTheirNames) {
  const std::string text =
      "__constant__ float w[4] = {1, 2, 3, 4};\n__constant__ int v[2] = {5, 6};\n"
      "__global__ void k(float* y, int* z) {\n  y[threadIdx.x] = w[threadIdx.x];\n"
      "  z[threadIdx.x] = v[threadIdx.x & 1];\n}\n";
  expect_each(said(text, "k<<<1, 5>>>(y, z)", "y:f32[8], z:i32[8]"), "w[4] is out of bounds");
  expect_each(said(text, "k<<<1, 4>>>(y, z)", "y:f32[8], z:i32[8]"), "");
}

// The CUDA guide's way to pass data on: data, a fence, a volatile flag. Without fences it races.
TEST(KernelFences, LetAVolatileFlagHandOverData) {
  const auto kernel = [](const std::string& fence) {
    return "__global__ void k(int* data, volatile int* flag, int* out) {\n"
           "  if (blockIdx.x == 0) { data[0] = 42; " +
           fence + " *flag = 1; }\n  else { while (*flag == 0) {} " + fence +
           " out[0] = data[0]; }\n}\n";
  };
  const std::string launch = "k<<<2, 1>>>(d, f, o)",
                    args = "d:i32[1]=zeros, f:i32[1]=zeros, o:i32[1]";
  expect_each(said(kernel("__threadfence();"), launch, args), "");
  expect_each(said(kernel(""), launch, args), "race: f[0]");
  expect_each(said(kernel("__threadfence_block();"), launch, args), "race: f[0]");
}

// All threads write and execute a fence; after a barrier one thread draws the ticket.
TEST(KernelFences, OfAllThreadsCountBehindABarrier) {
  const auto kernel = [](const std::string& fence) {
    return "__device__ unsigned tickets;\n__global__ void k(const int* x, int* part, int* out) {\n"
           "  __shared__ bool last;\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
           "  part[i] = x[i];\n  " +
           fence +
           "\n  __syncthreads();\n"
           "  if (threadIdx.x == 0) last = atomicAdd(&tickets, 1) == gridDim.x - 1;\n"
           "  __syncthreads();\n  if (!last || threadIdx.x != 0) return;\n  __threadfence();\n"
           "  int sum = 0;\n  for (int j = 0; j < gridDim.x * blockDim.x; ++j) sum += part[j];\n"
           "  *out = sum;\n}\n";
  };
  const std::string launch = "k<<<4, 64>>>(x, p, o)",
                    args = "x:i32[256]=ones, p:i32[256], o:i32[1]";
  expect_each(said(kernel("__threadfence();"), launch, args), "");
  expect_each(said(kernel(""), launch, args), "race: p[");
  expect_each(said(kernel("if (threadIdx.x != 5) __threadfence();"), launch, args), "race: p[5]");
  expect_each(said(kernel("if (threadIdx.x == 0) __threadfence();"), launch, args), "race: p[1]");
  expect_each(said(kernel("__threadfence_block();"), launch, args), "race: p[");
}

TEST(KernelDeclared, ReadsTypesAndExtents) {
  const std::string text =
      "#define W 8  // wide\nconstexpr int H = W * 2;\ntemplate <class T> __global__ void k() {\n"
      "  __shared__ float a[H][W + 1], b[W][2][3];\n  extern __shared__ unsigned char raw[];\n"
      "  __shared__ T t[H][W];\n  __shared__ unsigned long long c[X][Y];\n}\n";
  const auto index = [&](const char* name, long long k) {
    return index_text(*declared_in(text, name), k);
  };
  EXPECT_EQ(declared_in(text, "a")->element, 4u);
  EXPECT_EQ(index("a", 10), "[1][1]");
  EXPECT_EQ(index("b", 47), "[7][1][2]");
  EXPECT_EQ(declared_in(text, "raw")->element, 1u);
  EXPECT_EQ(index("raw", 5), "[5]");
  EXPECT_EQ(declared_in(text, "t")->element, 0u);
  EXPECT_EQ(declared_in(text, "c")->element, 8u);
  EXPECT_EQ(index("c", 5), "[5]");  // the extent Y is not known
  EXPECT_EQ(index("a", -1), "[-1]");
  EXPECT_FALSE(declared_in(text, "q"));
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
