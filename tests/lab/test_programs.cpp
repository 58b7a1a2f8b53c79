// Programs with their own main() as people write them: what they include, call and declare.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lab/kernel_verdict.hpp"
#include "onefold/system/temporary.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// Runs a program that must be clean, and prints `printed`.
void runs(const std::string& text, const std::string& printed) {
  const RanMain r = run_text(text);
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result) << text;
  EXPECT_EQ(r.printed, printed);
}

// A main() that launches k on 64 integers i, and prints the last of them.
const std::string usual_main =
    "int main() {\n  int h[64], *d;\n  for (int i = 0; i < 64; ++i) h[i] = i;\n"
    "  cudaMalloc(&d, sizeof h);\n  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n"
    "  k<<<1, 64>>>(d);\n  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
    "  printf(\"%d\\n\", h[63]);\n  cudaFree(d);\n  return 0;\n}\n";
const std::string twice = "__global__ void k(int* x) { x[threadIdx.x] *= 2; }\n";

TEST(Programs, RefuseASecondThreadThatCallsCuda) {
  NEEDS_CLANG();
  const std::string call =
      "  std::thread([&] { k<<<1, 4>>>(y); cudaDeviceSynchronize(); }).join();\n";
  try {
    run_text("#include <thread>\n" + twice + "int main() {\n  int* y;\n  cudaMalloc(&y, 16);\n" +
             call + "}\n");
    FAIL() << "it ran";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "lab run: a second thread of main() calls CUDA, but on the simulated machine only "
                 "one thread may do so");
  }
}

TEST(Programs, KnowWhatIsFiniteOnBothSides) {
  NEEDS_CLANG();
  runs(
      "#include <cmath>\n#include <cstdio>\n__global__ void k(float* x) {\n"
      "  x[0] = isnan(x[0]) || !isfinite(x[0]);\n}\n"
      "int main() {\n  float v = INFINITY, *p;\n  cudaMalloc(&p, 4);\n"
      "  cudaMemcpy(p, &v, 4, cudaMemcpyHostToDevice);\n  k<<<1, 1>>>(p);\n"
      "  printf(\"%d %d\", isfinite(v), std::isinf(v));\n"
      "  cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost);\n  cudaFree(p);\n"
      "  printf(\" %g\\n\", v);\n}\n",
      "0 1 1\n");
}

TEST(Programs, IncludeFilesWithFunctionsOfTheHost) {
  NEEDS_CLANG();
  const Scratch header(
      "#include <vector>\n#include <cfloat>\n#include <stdio.h>\n"
      "static void check(cudaError_t e, int line) {\n"
      "  if (e != cudaSuccess) { printf(\"%s %d\\n\", cudaGetErrorString(e), line); exit(1); }\n}\n"
      "inline std::vector<int> numbers(int n) { return std::vector<int>(n, 3); }\n"
      "inline bool same(const int* a, const int* b, int n) { return memcmp(a, b, 4 * n) == 0; }\n"
      "inline int* on_device(int n) { int* d; check(cudaMalloc(&d, n * 4), __LINE__); return d; "
      "}\n",
      ".h");
  runs("#include \"" + std::filesystem::path(header.path).filename().string() + "\"\n" + twice +
           "int main() {\n  std::vector<int> h = numbers(64);\n  int* d = on_device(64);\n"
           "  check(cudaMemcpy(d, h.data(), 256, cudaMemcpyHostToDevice), __LINE__);\n"
           "  k<<<1, 64>>>(d);\n"
           "  check(cudaMemcpy(h.data(), d, 256, cudaMemcpyDeviceToHost), __LINE__);\n"
           "  printf(\"%d\\n\", h[63]);\n}\n",
       "6\n");
}

TEST(Programs, NameTypesOfTheHostInTheFile) {
  NEEDS_CLANG();
  runs(
      "#include <cassert>\n#include <map>\n#include <vector>\n"
      "using namespace std;\nusing Values = vector<int>;\n"
      "typedef std::map<std::string, Values> Table;\n"
      "template <class T> using List = std::vector<T>;\n" +
          twice + "Table table;\nvoid fill(Values& v) { v.assign(3, 1); assert(!v.empty()); }\n" +
          usual_main,
      "126\n");
}

// NVRTC drops static kernels that nothing uses, and gives them other names than the host.
TEST(Programs, HaveKernelsOfTheirFileAlone) {
  NEEDS_CLANG();
  for (const std::string head : {"static __global__ void k", "__global__ static void k",
                                 "template <class T> static __global__ void k"}) {
    const std::string type = head.starts_with("template") ? "T" : "int";
    runs("static __global__ void other(int* x) { x[0] = 0; }\n" + head + "(" + type +
             "* x) { x[threadIdx.x] *= 2; }\nnamespace {\n__global__ void k(int* x, int by) { "
             "x[threadIdx.x] += by; }\n}\n" +
             usual_main,
         "126\n");
  }
  runs("namespace {\n" + twice + "}\n" + usual_main, "126\n");
}

TEST(Programs, UseTheStandardLibraryInKernels) {
  NEEDS_CLANG();
  runs(
      "#include <type_traits>\n#include <chrono>\ntemplate <class T, std::size_t by>\n"
      "__global__ void twice(T* x) {\n  if constexpr (std::is_same_v<T, int>) x[threadIdx.x] *= "
      "by;\n"
      "}\n__global__ void k(int* x) { x[threadIdx.x] += std::is_same<long, int>::value; }\n"
      "int main() {\n  int h[64] = {}, *d;\n  h[63] = 63;\n  cudaMalloc(&d, sizeof h);\n"
      "  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);\n  k<<<1, 64>>>(d);\n"
      "  twice<int, 2><<<1, 64>>>(d);\n  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n"
      "  printf(\"%d %g %g\\n\", h[63], rsqrtf(4.f), sinpi(.5));\n}\n",
      "126 0.5 1\n");
}

TEST(Programs, IncludeFilesOfCpath) {
  NEEDS_CLANG();
  const system::TemporaryFolder folder;
  folder.put("by.h", "__device__ int by() { return 2; }\n");
  ::setenv("CPATH", folder.path().c_str(), 1);
  runs("#include \"by.h\"\n__global__ void k(int* x) { x[threadIdx.x] *= by(); }\n" + usual_main,
       "126\n");
  ::unsetenv("CPATH");
}

TEST(Programs, HaveCooperativeGroups) {
  NEEDS_CLANG();
  if (compilers().front() != "nvrtc") GTEST_SKIP() << "groups need NVRTC";
  runs(
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
      "namespace cg = cooperative_groups;\n"
      "__device__ int sum(cg::thread_block_tile<32> warp, int v) {\n"
      "  for (int h = warp.size() / 2; h > 0; h /= 2) v += warp.shfl_down(v, h);\n"
      "  return warp.shfl(v, 0);\n}\n"
      "__global__ void k(int* x) {\n  cg::thread_block block = cg::this_thread_block();\n"
      "  auto warp = cg::tiled_partition<32>(block);\n  const int v = x[block.thread_rank()];\n"
      "  const int s = sum(warp, v), t = cg::reduce(warp, v, cg::plus<int>());\n"
      "  block.sync();\n  x[threadIdx.x] = s == t ? s : -1;\n}\n" +
          usual_main,
      "1520\n");
}

TEST(Programs, HaveGroupsBesideAFileWithFunctionsOfTheHost) {
  NEEDS_CLANG();
  if (compilers().front() != "nvrtc") GTEST_SKIP() << "groups need NVRTC";
  const Scratch header(
      "#pragma once\n#include <cfloat>\n#include <vector>\n"
      "inline int last(const int* a, int n) { std::vector<int> v(a, a + n); return v.back(); }\n"
      "__device__ std::common_type<int, short>::type ten() { return 10; }\n",
      ".h");
  const std::string name = std::filesystem::path(header.path).filename().string();
  runs("#include \"" + name + "\"\n#include \"" + name +
           "\"\n#include <cooperative_groups.h>\n"
           "__global__ void k(int* x) {\n  cooperative_groups::this_thread_block().sync();\n"
           "  x[threadIdx.x] = ten();\n}\n" +
           usual_main,
       "10\n");
}

TEST(Programs, HaveVariablesInManagedMemory) {
  NEEDS_CLANG();
  runs(
      "__managed__ int sum;\n__device__ __managed__ int by[2] = {3, 4};\n"
      "__global__ void k(int* x) { atomicAdd(&sum, by[threadIdx.x % 2]); x[threadIdx.x] = 1; }\n"
      "__global__ void twice(int* p) { p[0] *= 2; }\n"
      "int main() {\n  int* x;\n  cudaMalloc(&x, 256);\n  printf(\"%d \", by[1]);\n"
      "  by[1] = 5;\n  k<<<1, 64>>>(x);\n  cudaDeviceSynchronize();\n  printf(\"%d \", sum);\n"
      "  twice<<<1, 1>>>(&sum);\n  cudaDeviceSynchronize();\n  printf(\"%d\\n\", sum);\n"
      "  cudaFree(x);\n}\n",
      "4 256 512\n");
}

TEST(Programs, SynchroniseTheirGrid) {
  NEEDS_CLANG();
  if (compilers().front() != "nvrtc") GTEST_SKIP() << "groups need NVRTC";
  runs(
      "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
      "__global__ void k(int* x) {\n  grid_group g = this_grid();\n"
      "  const int i = g.thread_rank();\n  x[i] = i;\n  g.sync();\n"
      "  const int other = x[63 - i];\n  g.sync();\n  x[i] = other;\n}\n"
      "int main() {\n  int h[64], *d;\n  cudaMalloc(&d, sizeof h);\n  void* all[] = {&d};\n"
      "  cudaLaunchCooperativeKernel(k, 2, 32, all);\n"
      "  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n  printf(\"%d\\n\", h[0]);\n}\n",
      "63\n");
}

TEST(Programs, HaveCubInKernels) {
  NEEDS_CLANG();
  if (compilers().front() != "nvrtc") GTEST_SKIP() << "CUB needs NVRTC";
  runs(
      "#include <cub/cub.cuh>\n__global__ void k(int* x) {\n"
      "  using Reduce = cub::BlockReduce<int, 64>;\n"
      "  __shared__ typename Reduce::TempStorage room;\n"
      "  const int s = Reduce(room).Sum(x[threadIdx.x]);\n  if (threadIdx.x == 0) x[63] = s;\n}\n" +
          usual_main,
      "2016\n");
}

TEST(Programs, AskForTheAddressOfAVariable) {
  NEEDS_CLANG();
  const std::string kernel =
      "__device__ int s[3];\n__constant__ int c[2];\n"
      "__global__ void k(int* x) { x[threadIdx.x] += c[0] + (x == s); }\nint main() {\n"
      "  int h[3], four = 4, *d;\n  size_t n, m;\n  cudaGetSymbolAddress((void**)&d, s);\n"
      "  cudaGetSymbolSize(&n, s);\n  cudaGetSymbolSize(&m, c);\n  cudaMemset(d, 0, n);\n"
      "  cudaMemcpyToSymbol(c, &four, 4);\n  k<<<1, 3>>>(d);\n"
      "  cudaMemcpyFromSymbol(h, s, 12);\n  printf(\"%d %zu %zu\\n\", h[2], n, m);\n";
  runs(kernel + "}\n", "5 12 8\n");
  const RanMain r = run_text(kernel + "  cudaGetSymbolAddress((void**)&d, c);\n}\n");
  EXPECT_NE(why(r.result).find("the address of c, which is in constant memory"), std::string::npos)
      << why(r.result);
}

TEST(Programs, MapMemoryOfTheHost) {
  NEEDS_CLANG();
  runs(twice +
           "int main() {\n  int *h, *d;\n  cudaSetDeviceFlags(cudaDeviceMapHost);\n"
           "  cudaHostAlloc((void**)&h, 256, cudaHostAllocWriteCombined | cudaHostAllocMapped);\n"
           "  for (int i = 0; i < 64; ++i) h[i] = i;\n  cudaHostGetDevicePointer(&d, h, 0);\n"
           "  k<<<1, 64>>>(d);\n  cudaDeviceSynchronize();\n  printf(\"%d\\n\", h[63]);\n"
           "  return cudaFreeHost(h);\n}\n",
       "126\n");
}

TEST(Programs, RegisterMemoryForCopiesAndKernels) {
  NEEDS_CLANG();
  runs(twice +
           "int main() {\n  int h[64] = {}, *d, *p, *q;\n  cudaStream_t s;\n"
           "  cudaStreamCreate(&s);\n  cudaHostRegister(h, sizeof h, cudaHostRegisterMapped);\n"
           "  cudaHostGetDevicePointer(&p, h, 0);\n  h[63] = 5;\n  k<<<1, 64, 0, s>>>(p);\n"
           "  cudaMalloc(&d, 256);\n  cudaMemcpyAsync(d, h, 256, cudaMemcpyHostToDevice, s);\n"
           "  k<<<1, 64, 0, s>>>(d);\n  cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, s);\n"
           "  cudaStreamSynchronize(s);\n  printf(\"%d \", h[63]);\n  cudaHostUnregister(h);\n"
           "  cudaMallocHost(&q, 256);\n  q[63] = 4;\n  k<<<1, 64>>>(q);\n"
           "  cudaDeviceSynchronize();\n  printf(\"%d\\n\", q[63]);\n  cudaFreeHost(q);\n}\n",
       "20 8\n");
}

TEST(Programs, MayNotUseManagedMemoryThatIsFreed) {
  NEEDS_CLANG();
  const auto text = [](const char* after) {
    return std::string(
               "#include <cstdio>\n__global__ void k(int* x) { x[threadIdx.x] = 2; }\n"
               "int main() {\n  int *x, *y;\n  cudaMallocManaged(&x, 16);\n"
               "  cudaMallocManaged(&y, 16);\n  k<<<1, 4>>>(x);\n  cudaDeviceSynchronize();\n"
               "  const int was = x[3];\n  cudaFree(x);\n  k<<<1, 4>>>(y);\n"
               "  cudaDeviceSynchronize();\n  printf(\"%d\\n\", ") +
           after + ");\n  cudaFree(y);\n}\n";
  };
  const RanMain right = run_text(text("was + y[0]"));
  EXPECT_EQ(right.printed, "4\n");
  EXPECT_EQ(verdict_of(right.result), Verdict::clean) << why(right.result);
  EXPECT_EQ(why(run_text(text("x[3]")).result),
            "bad_call: main() uses managed memory after cudaFree");
}

TEST(Programs, AreToldWhatTheyNeverFree) {
  NEEDS_CLANG();
  const auto leaked = [](const char* end) {
    const RanMain r =
        run_text(std::string("__global__ void k(int* x) { x[threadIdx.x] = 2; }\nint main() {\n"
                             "  int *x, *y;\n  cudaMalloc(&x, 16);\n  cudaMalloc(&y, 32);\n"
                             "  k<<<1, 4>>>(x);\n  cudaFree(y);\n") +
                 end + "}\n");
    EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
    return to_table(r.result).find(
               "note        main() ends without freeing 16 bytes of cudaMalloc") !=
           std::string::npos;
  };
  EXPECT_TRUE(leaked(""));
  EXPECT_FALSE(leaked("  cudaFree(x);\n"));
  EXPECT_FALSE(leaked("  cudaDeviceReset();\n"));
}

TEST(Programs, DrawNothingInAWindow) {
  NEEDS_CLANG();
  runs(
      "extern \"C\" void glutInit(int*, char**);\nextern \"C\" void glutDisplayFunc(void (*)());\n"
      "extern \"C\" void glutMainLoop();\nextern \"C\" void glClear(unsigned);\n" +
          twice +
          "int* d;\nvoid draw() { glClear(3); k<<<1, 64>>>(d); puts(\"drawn\"); }\n"
          "int main(int n, char** words) {\n  cudaMalloc(&d, 256); cudaMemset(d, 0, 256);\n"
          "  glutInit(&n, words); glutDisplayFunc(draw); glutMainLoop();\n}\n",
      "drawn\n");
}

TEST(Programs, AreToldThatAKernelGotMemoryOfTheHost) {
  NEEDS_CLANG();
  const RanMain r = run_text(twice + "int main() { int h[64] = {}; k<<<1, 64>>>(h); }\n");
  EXPECT_EQ(kinds(r.result), Kinds{"out_of_bounds"});
  EXPECT_NE(to_table(r.result).find("fix         pass the kernel device memory"),
            std::string::npos);
}

TEST(Programs, AreToldToWaitForWhatAKernelPrints) {
  NEEDS_CLANG();
  const auto noted = [](const char* end) {
    const RanMain r =
        run_text(std::string("#include <cstdio>\n__global__ void k() { printf(\"hello\\n\"); }\n"
                             "int main() { k<<<1, 1>>>(); ") +
                 end + "}\n");
    EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
    EXPECT_EQ(r.printed, "hello\n");
    return to_table(r.result).find("main() ends without cudaDeviceSynchronize()") !=
           std::string::npos;
  };
  EXPECT_TRUE(noted(""));
  EXPECT_FALSE(noted("cudaDeviceSynchronize(); "));
}

TEST(Programs, CallBackFromStreams) {
  NEEDS_CLANG();
  runs(
      "void CUDART_CB done(cudaStream_t, cudaError_t e, void* p) { *(int*)p += e == 0; }\n"
      "void CUDART_CB more(void* p) { *(int*)p += 2; }\n" +
          twice +
          "int main() {\n  int n = 0, least, most, *d;\n  cudaStream_t s;\n"
          "  cudaDeviceGetStreamPriorityRange(&least, &most);\n"
          "  cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, most);\n"
          "  cudaMalloc(&d, 256);\n  cudaMemsetAsync(d, 0, 256, s);\n  k<<<1, 64, 0, s>>>(d);\n"
          "  cudaStreamAddCallback(s, done, &n, 0);\n  cudaLaunchHostFunc(s, more, &n);\n"
          "  printf(\"%d %d\\n\", n, cudaStreamQuery(s) == cudaSuccess);\n}\n",
      "3 1\n");
}

TEST(Programs, ChooseTheOneDevice) {
  NEEDS_CLANG();
  runs(twice +
           "int main() {\n  int device = 7, peer = 7, *d;\n  cudaDeviceProp p = {};\n"
           "  p.major = 1;\n  cudaChooseDevice(&device, &p);\n"
           "  cudaDeviceCanAccessPeer(&peer, 0, 1);\n  cudaFuncSetCacheConfig(k, "
           "cudaFuncCachePreferL1);\n  cudaGetDeviceProperties(&p, device);\n"
           "  cudaPitchedPtr a; cudaMalloc3D(&a, make_cudaExtent(100, 2, 3));\n"
           "  cudaFree(0);\n  cudaMalloc(&d, 256);\n  cudaMemset(d, 0, 256);\n"
           "  cudaMemcpyAsync(d, d + 4, 4, cudaMemcpyDeviceToDevice, 0);\n  k<<<1, 64>>>(d);\n"
           "  printf(\"%d %d %d %d %zu\\n\", device, peer, p.deviceOverlap,\n"
           "         cudaDeviceEnablePeerAccess(1, 0), a.pitch);\n}\n",
       "0 0 1 101 512\n");
}

TEST(Programs, CountEachLaunch) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "template <int A, int B> __global__ void odd(int* x) {\n"
      "  if (threadIdx.x % A == B) x[threadIdx.x] += 1;\n}\n"
      "__global__ void strided(int* x) {\n  __shared__ int s[1024];\n"
      "  s[32 * threadIdx.x] = x[32 * threadIdx.x];\n  __syncthreads();\n"
      "  x[threadIdx.x] = s[32 * threadIdx.x];\n}\n"
      "int main() {\n  int* d;\n  cudaMalloc(&d, 4096);\n  cudaMemset(d, 0, 4096);\n"
      "  for (int i = 0; i < 3; ++i) odd<2, 1><<<1, 64>>>(d);\n  strided<<<1, 32>>>(d);\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
  const std::string rows = to_csv(r.result);
  EXPECT_TRUE(rows.starts_with(
      "kernel,grid,block,launches,active_lanes,divergent_percent,"
      "gld_efficiency,gst_efficiency,bank_ways,barriers,inst_per_warp,"
      "registers,occupancy,occupancy_limit,bytes,flops,flop_per_byte,bound,uncached_us\n"
      "\"odd<2, 1>\",1,64,3,"))
      << rows;
  EXPECT_NE(rows.find("\nstrided,1,32,1,32.0,-,12.5,"), rows.npos) << rows;
  EXPECT_NE(rows.find(",32.0,1,"), rows.npos) << rows;
  EXPECT_NE(to_table(r.result).find("bank_ways"), std::string::npos);
  EXPECT_NE(to_json(r.result).find("\"gst_efficiency\": 100.0"), std::string::npos);
}

// Each launch may take 5,000,000 steps here, and all together 16 times as many.
TEST(Programs, HaveABudgetForEachLaunchAndOneForAll) {
  NEEDS_CLANG();
  const auto text = [](int launches, int rounds) {
    return "__global__ void k(int* x, int n) {\n  for (int i = 0; i < n; ++i) x[threadIdx.x] += "
           "i;\n"
           "}\nint main() {\n  int* d;\n  cudaMalloc(&d, 256);\n  cudaMemset(d, 0, 256);\n"
           "  for (int i = 0; i < " +
           std::to_string(launches) + "; ++i) k<<<1, 64>>>(d, " + std::to_string(rounds) +
           ");\n}\n";
  };
  EXPECT_EQ(verdict_of(run_text(text(20, 8000)).result), Verdict::clean);
  for (const auto& [launches, rounds, says] :
       {std::tuple(1, 80000, "the budget of 5000000 steps (--budget) is used up"),
        std::tuple(400, 8000,
                   "steps, 16 times --budget; if main() should end, try a smaller size")}) {
    const RanMain r = run_text(text(launches, rounds));
    EXPECT_EQ(verdict_of(r.result), Verdict::budget);
    EXPECT_NE(why(r.result).find(says), std::string::npos) << why(r.result);
    EXPECT_NE(why(r.result).find("or --budget 80000000"), std::string::npos) << why(r.result);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
