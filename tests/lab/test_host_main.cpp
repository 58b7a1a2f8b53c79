// A file's own main() on the simulated machine.
#include <gtest/gtest.h>

#include "lab/kernel_verdict.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

// A program like homework: a sum by a tree in a template, with copies, events and checks.
std::string homework(const std::string& barrier) {
  return "#include <cstdio>\n#include <vector>\n#include <cuda_runtime.h>\n"
         "#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) exit(9); } while (0)\n"
         "template <int B> __global__ void sum(const int* x, int* y, int n) {\n"
         "  __shared__ int s[B];\n  int t = threadIdx.x, i = blockIdx.x * B + t;\n"
         "  s[t] = i < n ? x[i] : 0;\n  __syncthreads();\n"
         "  for (int h = B / 2; h > 0; h /= 2) {\n    if (t < h) s[t] += s[t + h];\n    " +
         barrier +
         "\n  }\n  if (t == 0) y[blockIdx.x] = s[0];\n}\n"
         "int main(int argc, char** argv) {\n  const int n = argc > 1 ? atoi(argv[1]) : 1000;\n"
         "  const int blocks = (n + 255) / 256;\n  std::vector<int> x(n, 2), y(blocks);\n"
         "  int *dx, *dy;\n  CHECK(cudaMalloc(&dx, n * sizeof(int)));\n"
         "  CHECK(cudaMalloc((void**)&dy, blocks * sizeof(int)));\n"
         "  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(int), cudaMemcpyHostToDevice));\n"
         "  cudaEvent_t a, b;\n  cudaEventCreate(&a);\n  cudaEventCreate(&b);\n"
         "  cudaEventRecord(a);\n  sum<256><<<blocks, 256>>>(dx, dy, n);\n  cudaEventRecord(b);\n"
         "  CHECK(cudaGetLastError());\n  CHECK(cudaDeviceSynchronize());\n"
         "  CHECK(cudaMemcpy(y.data(), dy, blocks * sizeof(int), cudaMemcpyDeviceToHost));\n"
         "  int s = 0;\n  for (int v : y) s += v;\n  printf(\"sum %d\\n\", s);\n"
         "  return s == 2 * n ? 0 : 1;\n}\n";
}

TEST(HostMain, RunsHomeworkAsItIs) {
  NEEDS_CLANG();
  const RanMain r = run_text(homework("__syncthreads();"), {"500"});
  EXPECT_EQ(r.printed, "sum 1000\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
  ASSERT_EQ(r.result.launches.size(), 1u);
  EXPECT_EQ(r.result.launches[0].kernel, "sum<256>");
  EXPECT_EQ(r.result.launches[0].grid.x, 2u);
}

TEST(HostMain, TellsTheFlawsOfItsLaunches) {
  NEEDS_CLANG();
  const RanMain r = run_text(homework(""));
  EXPECT_EQ(verdict_of(r.result), Verdict::flaw);
  EXPECT_EQ(kinds(r.result), Kinds{"race"});
  EXPECT_NE(why(r.result).find(":11 by thread"), std::string::npos) << why(r.result);
}

TEST(HostMain, HasManagedMemorySymbolsAndPrintf) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <stdio.h>\n__constant__ int c[2];\n__device__ int counter;\n"
      "__global__ void k(int* y) {\n  atomicAdd(&counter, 1);\n  y[threadIdx.x] += c[1];\n"
      "  if (threadIdx.x == 0) printf(\"kernel\\n\");\n}\n"
      "int main() {\n  int *y, h[2] = {5, 6}, n = 0;\n  cudaMallocManaged(&y, 64 * sizeof(int));\n"
      "  for (int i = 0; i < 64; ++i) y[i] = i;\n  cudaMemcpyToSymbol(c, h, sizeof h);\n"
      "  k<<<1, 64>>>(y);\n  cudaDeviceSynchronize();\n"
      "  cudaMemcpyFromSymbol(&n, counter, sizeof n);\n  k<<<1, 2048>>>(y);\n"
      "  printf(\"%d %d %s\\n\", y[63], n, cudaGetErrorString(cudaGetLastError()));\n  "
      "exit(3);\n}\n");
  EXPECT_EQ(r.printed, "kernel\n69 64 invalid configuration argument\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::expectation);
  EXPECT_EQ(why(r.result), "main()==0 does not hold: it is 3");
}

// The host's compiler and the device's must call a kernel by the same name.
TEST(HostMain, LaunchesKernelsOfEveryType) {
  NEEDS_CLANG();
  std::string kernels, calls;
  std::size_t count = 0;
  for (const std::string t : {"int8_t",        "uint8_t",       "int16_t",   "uint16_t",
                              "int32_t",       "uint32_t",      "int64_t",   "uint64_t",
                              "size_t",        "intptr_t",      "uintptr_t", "ptrdiff_t",
                              "long",          "unsigned long", "long long", "unsigned long long",
                              "char",          "bool",          "float",     "double",
                              "uint",          "float4",        "longlong2", "int_fast32_t",
                              "uint_least16_t"}) {
    const std::string k = "k" + std::to_string(count++);
    kernels += "__global__ void " + k + "(" + t + "* p, " + t + " v) { p[0] = v; }\n";
    calls += "  {\n    " + t + " *d, h[1] = {}, v = {};\n    cudaMalloc(&d, sizeof h);\n    " + k +
             "<<<1, 1>>>(d, v);\n    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);\n  }\n";
  }
  const RanMain r = run_text("#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n" +
                             kernels + "int main() {\n" + calls + "  return 0;\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
  EXPECT_EQ(r.result.launches.size(), count);
}

TEST(HostMain, SaysIfNoKernelHasRun) {
  NEEDS_CLANG();
  const std::string kernel = "#include <cstdio>\n__global__ void k(int* x) { *x = 1; }\n";
  for (const char* body :
       {"return 0;", "int* x; cudaMalloc(&x, 4); k<<<0, 1>>>(x); cudaGetLastError();"}) {
    const RanMain r = run_text(kernel + "int main() { " + body + " }\n");
    EXPECT_NE(r.result.failure.find("without launching a kernel"), std::string::npos) << body;
    EXPECT_NE(verdict_of(r.result), Verdict::clean);
  }
}

TEST(HostMain, FollowsPointersInManagedMemory) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <cstdio>\nstruct Node { int v; Node* next; };\nstruct List { Node* first; };\n"
      "__global__ void last(List l, int* out) {\n  const Node* n = l.first;\n"
      "  while (n->next) n = n->next;\n  *out = n->v;\n}\n"
      "__global__ void push(Node** head, Node* n) { n->next = *head; *head = n; }\n"
      "int main() {\n  Node *a, *b, **head; int* out;\n"
      "  cudaMallocManaged(&a, sizeof(Node)); cudaMallocManaged(&b, sizeof(Node));\n"
      "  cudaMallocManaged(&head, sizeof(Node*)); cudaMallocManaged(&out, 4);\n"
      "  a->v = 7; a->next = nullptr; b->v = 8; *head = a;\n"
      "  push<<<1, 1>>>(head, b);\n  cudaDeviceSynchronize();\n"
      "  last<<<1, 1>>>(List{*head}, out);\n  cudaDeviceSynchronize();\n"
      "  printf(\"%d %d\\n\", *out, *head == b && b->next == a);\n  return 0;\n}\n");
  EXPECT_EQ(r.printed, "7 1\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(HostMain, KnowsTheVersionLimitsAndAttributesOfCuda) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <cuda.h>\n#include <cuda_runtime.h>\n#include <cstdio>\n"
      "#if CUDA_VERSION < 12000 || CUDART_VERSION < 12000\n#error old\n#endif\n"
      "__global__ void k(int* x) { extern __shared__ int s[]; s[0] = 3; *x = s[0]; }\n"
      "int main() {\n  int *x, v = 0, grid = 0, block = 0;\n  cudaMallocManaged(&x, 4);\n"
      "  cudaMemPrefetchAsync(x, 4, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, 0);\n"
      "  cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlock, 0);\n"
      "  cudaOccupancyMaxPotentialBlockSize(&grid, &block, k, 0, 1000000);\n"
      "  k<<<1, 1, 60000>>>(x);\n  printf(\"%s, \", cudaGetErrorString(cudaGetLastError()));\n"
      "  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000);\n"
      "  k<<<1, 1, 60000>>>(x);\n  cudaDeviceSynchronize();\n"
      "  printf(\"%s, %d %d %d\\n\", cudaGetErrorString(cudaGetLastError()), *x, v, block);\n"
      "  cudaOccupancyMaxPotentialBlockSize(&grid, &block, k, 0, 100);\n"
      "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, k, 128, 100 << 10);\n"
      "  printf(\"%d %d\\n\", block, v);\n  return 0;\n}\n");
  // 32 blocks of 64 threads fill a multiprocessor, 21 of 96 do not.
  EXPECT_EQ(r.printed, "invalid argument, no error, 3 49152 1024\n64 2\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(HostMain, EndsWhereALaunchIsGivenUp) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <stdio.h>\n__global__ void k(int* y) {\n  y[0] = 1;\n  __trap();\n}\n"
      "int main() {\n  int* y;\n  cudaMalloc(&y, 4);\n  k<<<1, 1>>>(y);\n  "
      "printf(\"on\\n\");\n}\n");
  EXPECT_EQ(r.printed, "");
  EXPECT_EQ(verdict_of(r.result), Verdict::flaw);
  const RanMain endless = run_text(
      "#include <assert.h>\n#include <stdio.h>\n__global__ void k(volatile int* y) {\n"
      "  if (threadIdx.x == 0) while (true) y[0] = 1;\n  assert(y != nullptr);\n"
      "  __syncthreads();\n}\nint main() {\n  int* y;\n  cudaMalloc(&y, 4);\n"
      "  k<<<1, 64>>>(y);\n  puts(\"on\");\n}\n");
  EXPECT_EQ(endless.printed, "");
  EXPECT_EQ(kinds(endless.result), Kinds{"no_progress"});
  EXPECT_THROW(run_text("__global__ void k() {}\nint main() { return z; }\n"), ptx::DoesNotCompile);
}

TEST(HostMain, ReportsAnAssertionThatFails) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <cassert>\n__global__ void k(int n) { assert((int)threadIdx.x < n); }\n"
      "int main() {\n  k<<<1, 32>>>(20);\n  return cudaDeviceSynchronize() == cudaSuccess ? 0 : "
      "3;\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::flaw);
  EXPECT_NE(why(r.result).find("assertion `(int)threadIdx.x < n' fails (block 0, thread 20)"),
            std::string::npos)
      << why(r.result);
}

TEST(HostMain, NeedsNoReturn) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <stdio.h>\n__global__ void k() {}\n"
      "int main() {\n  k<<<1, 1>>>();\n  puts(\"on\");\n}\n");
  EXPECT_EQ(r.printed, "on\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(HostMain, IsFoundInATextThatHasOne) {
  EXPECT_TRUE(ptx::has_main("__global__ void k();\nint main(void) {}\n"));
  EXPECT_TRUE(ptx::has_main("int\nmain (int argc, char** argv) {}\n"));
  EXPECT_TRUE(ptx::has_main("int32_t main(int32_t argc, char* argv[]) {}\n"));
  EXPECT_FALSE(ptx::has_main("__global__ void domain(int* y) {}\n"));
  EXPECT_FALSE(ptx::has_main("// print main(int)\nvoid k() { domain(3); }\n"));
}

TEST(HostMain, NamesAFunctionThatIsInAnotherFile) {
  NEEDS_CLANG();
  try {
    run_text(
        "extern \"C\" void in_another_file(int*);\n__global__ void k() {}\n"
        "int main() {\n  int h = 0;\n  k<<<1, 1>>>();\n  in_another_file(&h);\n}\n");
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(
                  "needs in_another_file, which is defined neither there nor in an included file"),
              std::string::npos)
        << e.what();
  }
}

TEST(HostMain, ComparesAsTheHelpersOfNvidiasSamplesDo) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <helper_cuda.h>\n#include <helper_functions.h>\n"
      "__global__ void k(float* y) { y[threadIdx.x] = threadIdx.x; }\n"
      "int main() {\n  float h[4], want[4] = {0, 1, 2, 4}, *d;\n"
      "  checkCudaErrors(cudaMalloc(&d, sizeof h));\n  k<<<1, 4>>>(d);\n"
      "  checkCudaErrors(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));\n"
      "  printf(\"%d%d%d%d\\n\", compareData(want, h, 4, 0.0f, 0.0f), compareData(want, h, 3, "
      "0.0f, "
      "0.0f),\n         compareData(want, h, 4, 1.0f, 0.0f), compareData(want, h, 4, 0.0f, "
      "0.5f));\n"
      "}\n");
  EXPECT_TRUE(r.result.clean());
  EXPECT_EQ(r.printed, "0111\n");
}

std::string main_of(const std::string& body) {
  return "#include <cstdio>\n#include <stdexcept>\n"
         "__global__ void k(int* y) { y[threadIdx.x] = 1; }\nint main() {\n" +
         body + "}\n";
}

TEST(HostMain, ReportsUseOfFreedMemory) {
  NEEDS_CLANG();
  const std::string begin = "  int *y, h[4];\n  cudaMalloc(&y, 16);\n";
  const auto says = [&](const std::string& body) {
    return why(run_text(main_of(begin + body)).result);
  };
  EXPECT_EQ(says("  k<<<1, 4>>>(y);\n  cudaFree(y);\n"), "");
  EXPECT_NE(
      says("  cudaFree(y);\n  k<<<1, 4>>>(y);\n")
          .find(":3: allocation 1 at byte 0 is written by thread 0 of block 0 after cudaFree"),
      std::string::npos);
  EXPECT_NE(
      says("  cudaFree(y);\n  cudaFree(y);\n").find(":8: allocation 1 is freed a second time"),
      std::string::npos);
  EXPECT_NE(says("  cudaFree(y);\n  cudaMemcpy(h, y, 16, cudaMemcpyDeviceToHost);\n")
                .find(":8: allocation 1 is read after cudaFree"),
            std::string::npos);
  EXPECT_NE(says("  cudaFree(y + 1);\n").find("cudaFree of byte 4 of allocation 1"),
            std::string::npos);
}

TEST(HostMain, ReportsCallsThatCudaRefuses) {
  NEEDS_CLANG();
  const std::string begin = "  int *y, h[8] = {};\n  cudaMalloc(&y, 16);\n";
  const auto says = [&](const std::string& body) {
    return why(run_text(main_of(begin + body)).result);
  };
  EXPECT_NE(says("  cudaMemcpy(y, h, 32, cudaMemcpyHostToDevice);\n")
                .find(":7: 32 bytes at byte 0 of allocation 1 are written, and it has 16"),
            std::string::npos);
  EXPECT_NE(says("  cudaMemcpy(y, h, 16, cudaMemcpyDeviceToHost);\n")
                .find("the copy's kind says that allocation 1 is host memory"),
            std::string::npos);
  EXPECT_NE(says("  k<<<1, 2048>>>(y);\n").find("the launch of k is refused: a block of 2048"),
            std::string::npos);
  EXPECT_NE(says("  cudaMemcpy(h, h + 4, 16, cudaMemcpyHostToDevice);\n")
                .find(":7: the copy's kind says that its destination is device memory"),
            std::string::npos);
  EXPECT_NE(says("  cudaMemcpy(h, h + 4, 16, cudaMemcpyDeviceToHost);\n")
                .find("the copy's kind says that its source is device memory"),
            std::string::npos);
  EXPECT_EQ(says("  cudaMemcpy(h, h + 4, 16, cudaMemcpyDefault);\n  k<<<1, 1>>>(y);\n"), "");
  // The cause is reported before its consequences.
  EXPECT_NE(says("  cudaMemcpy(y, h, 32, cudaMemcpyHostToDevice);\n  k<<<1, 5>>>(y);\n")
                .find("bad_call: "),
            std::string::npos);
  EXPECT_NE(says("  k<<<1, 5>>>(y);\n  cudaMemcpy(y, h, 32, cudaMemcpyHostToDevice);\n")
                .find("out_of_bounds: "),
            std::string::npos);
  // main() has read the error.
  EXPECT_EQ(says("  k<<<1, 2048>>>(y);\n  if (cudaGetLastError() != 9) return 1;\n"
                 "  k<<<1, 1>>>(y);\n"),
            "");
}

// Classes that own memory or measure time belong to the host; structs with an alignment to both.
TEST(HostMain, HasClassesOfItsOwn) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <vector>\nstruct __align__(16) Body { float x, m; };\n"
      "struct alignas(8) Two { int a, b; };\n"
      "template <class T> class Owner {\n public:\n"
      "  explicit Owner(size_t n) : n_(n) { cudaMalloc(&p_, n * sizeof(T)); }\n"
      "  ~Owner() { cudaFree(p_); }\n  T* get() { return p_; }\n"
      "  std::vector<T> take() {\n    std::vector<T> v(n_);\n"
      "    cudaMemcpy(v.data(), p_, n_ * sizeof(T), cudaMemcpyDeviceToHost);\n    return v;\n  }\n"
      " private:\n  T* p_ = nullptr;\n  size_t n_;\n};\n"
      "struct Both { Owner<Body> a{4}; Owner<Two> b{4}; };\n"
      "__global__ void k(Body* p, Two* q) {\n  const int i = threadIdx.x;\n"
      "  p[i] = {1.f * i, 2};\n  q[i] = {i, -i};\n}\n"
      "int main() {\n  Both d;\n  k<<<1, 4>>>(d.a.get(), d.b.get());\n"
      "  return !(d.a.take()[3].x == 3 && d.b.take()[2].b == -2);\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(HostMain, CopiesRowsOfPitchedMemory) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <cstdio>\n__global__ void k(char* p, size_t pitch) {\n"
      "  float* row = (float*)(p + threadIdx.y * pitch);\n  row[threadIdx.x] *= 2;\n}\n"
      "int main() {\n  float h[3][5], *d;\n  size_t pitch;\n"
      "  for (int i = 0; i < 15; ++i) h[0][i] = i;\n  cudaMallocPitch(&d, &pitch, 20, 3);\n"
      "  cudaMemcpy2D(d, pitch, h, 20, 20, 3, cudaMemcpyHostToDevice);\n"
      "  k<<<1, dim3(5, 3)>>>((char*)d, pitch);\n"
      "  cudaMemcpy2D(h, 20, d, pitch, 20, 3, cudaMemcpyDeviceToHost);\n"
      "  printf(\"%g %zu\\n\", h[2][4], pitch % 512);\n}\n");
  EXPECT_EQ(r.printed, "28 0\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(HostMain, MayHaveNoMemoryOnce) {
  NEEDS_CLANG();
  const RanMain r =
      run_text(main_of("  int *p, *q;\n  printf(\"%d \", cudaMalloc(&p, 1ull << 40));\n"
                       "  printf(\"%d\\n\", cudaMalloc(&q, 16));\n  k<<<1, 4>>>(q);\n"));
  EXPECT_EQ(r.printed, "2 0\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(HostMain, MayDieAndIsReported) {
  NEEDS_CLANG();
  const auto run = [](const std::string& body) { return run_text(main_of(body)).result; };
  const std::string racing =
      "  int *y;\n  cudaMalloc(&y, 16);\n  puts(\"on\");\n  k<<<1, 5>>>(y);\n";
  const KernelResult segfault = run(racing + "  int* volatile p = nullptr;\n  *p = 1;\n");
  EXPECT_EQ(segfault.failure, "main() was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(kinds(segfault), Kinds{"out_of_bounds"});  // flaws that were found before the crash
  EXPECT_EQ(verdict_of(segfault), Verdict::flaw);
  EXPECT_NE(to_junit(segfault).find("main() was ended by signal 11"), std::string::npos);
  EXPECT_NE(to_sarif(segfault).find("main() was ended by signal 11"), std::string::npos);
  EXPECT_EQ(run("  abort();\n").failure, "main() was ended by signal 6 (Aborted)");
  EXPECT_EQ(run("  throw std::runtime_error(\"mine\");\n").failure,
            "main() threw std::runtime_error: mine");
  EXPECT_EQ(run("  _Exit(3);\n").failure, "main() ended its process with status 3");
}

TEST(HostMain, HasABudgetOfItsOwn) {
  NEEDS_CLANG();
  const KernelResult r = run_text(main_of("  for (;;);\n")).result;
  EXPECT_EQ(verdict_of(r), Verdict::budget);
  EXPECT_NE(why(r).find("main() has used 0.2 s of processor time"), std::string::npos) << why(r);
}

TEST(HostMain, RunsWhatStandsAfterIt) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "#include <cstdio>\n#include <cstdlib>\n__global__ void k() {}\n"
      "int main() {\n  atexit([] { printf(\"last\\n\"); });\n  k<<<1, 1>>>();\n"
      "  printf(\"main\\n\");\n  exit(0);\n}\n");
  EXPECT_EQ(r.printed, "main\nlast\n");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
