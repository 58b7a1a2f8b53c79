// Programs with their own main() as people write them: static variables, launches as editors format
// them, headers of samples, limits of launches, and calls that CUDA refuses.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lab/kernel_verdict.hpp"
#include "lab/ptx/compile.hpp"
#include "lab/ptx/user_files.hpp"
#include "onefold/system/jit/nvrtc.hpp"
#include "onefold/system/temporary.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

RanMain run_by(const std::string& compiler, const std::string& file) {
  KernelOptions o;
  o.file = file;
  o.compiler = compiler;
  testing::internal::CaptureStdout();
  RanMain r;
  try {
    r.result = run_main(o, {});
  } catch (const std::exception& e) {
    r.result.failure = e.what();
  }
  r.printed = testing::internal::GetCapturedStdout();
  return r;
}

// Runs a program by each compiler of kernels that is there: it must be clean, and print `printed`.
void prints(const std::string& text, const std::string& printed) {
  const Scratch file(text, ".cu");
  for (const std::string compiler : {"nvrtc", "clang"}) {
    if (compiler == "nvrtc" && !jit::Nvrtc::get().usable()) continue;
    const RanMain r = run_by(compiler, file.path);
    EXPECT_EQ(verdict_of(r.result), Verdict::clean) << compiler << ": " << why(r.result) << text;
    EXPECT_EQ(r.printed, printed) << compiler;
  }
}

TEST(WrittenPrograms, ReachStaticVariablesAndThoseOfNamelessNamespaces) {
  NEEDS_CLANG();
  prints(
      "#include <cstdio>\nstatic __device__ int total = 5;\nstatic __constant__ int factor;\n"
      "namespace {\n__device__ int nameless[2];\nnamespace inner { __constant__ int deep; }\n}\n"
      "namespace n { static __device__ int named; }\nstatic __managed__ int both;\n"
      "static __device__ int read_only;\nstatic __device__ volatile int flag;\n"
      "static __device__ int of_main;\n__constant__ int used_by_none;\n"
      "__global__ void k() {\n  atomicAdd(&total, factor);\n  atomicAdd(&nameless[1], 1);\n"
      "  atomicAdd(&n::named, inner::deep + read_only);\n  atomicAdd(&both, 1);\n"
      "  if (threadIdx.x == 0) flag = 1;\n}\n"
      "int main() {\n  int h = 2;\n  cudaMemcpyToSymbol(factor, &h, 4);\n  h = 3;\n"
      "  cudaMemcpyToSymbol(inner::deep, &h, 4);\n  h = 7;\n"
      "  cudaMemcpyToSymbol(read_only, &h, 4);\n  both = 10;\n"
      "  k<<<1, 32>>>();\n  cudaDeviceSynchronize();\n  printf(\"%d\", both);\n"
      "  cudaMemcpyFromSymbol(&h, total, 4);\n  printf(\" %d\", h);\n"
      "  cudaMemcpyFromSymbol(&h, nameless, 4, 4);\n  printf(\" %d\", h);\n"
      "  cudaMemcpyFromSymbol(&h, n::named, 4);\n  printf(\" %d\", h);\n"
      "  cudaMemcpyFromSymbol(&h, flag, 4);\n  printf(\" %d\", h);\n"
      "  cudaMemcpyToSymbol(of_main, &h, 4);\n  h = 5;\n"
      "  cudaMemcpyFromSymbol(&h, of_main, 4);\n  printf(\" %d\", h);\n"
      "  cudaMemcpyToSymbol(used_by_none, &(h = 6), 4);\n"
      "  cudaMemcpyFromSymbol(&h, used_by_none, 4);\n  printf(\" %d\\n\", h);\n}\n",
      "42 69 32 320 1 1 6\n");
}

TEST(WrittenPrograms, ChargeALaunchOnlyTheSharedMemoryOfItsKernel) {
  NEEDS_CLANG();
  const std::string two =
      "__global__ void a(int* y) { __shared__ int s[7000]; s[threadIdx.x] = *y; __syncthreads(); "
      "y[1] = s[0]; }\n"
      "__global__ void b(int* y) { __shared__ int s[7001]; s[threadIdx.x] = 3; __syncthreads(); "
      "y[2] = s[0]; }\n__global__ void c(int* y) { y[3] = 3; }\n"
      "int main() {\n  int* d;\n  cudaMalloc(&d, 16);\n  cudaMemset(d, 0, 16);\n";
  const RanMain r = run_text(two +
                             "  a<<<1, 1>>>(d);\n  b<<<1, 1>>>(d);\n  c<<<1, 1>>>(d);\n"
                             "  cudaDeviceSynchronize();\n  cudaFree(d);\n"
                             "  return cudaGetLastError();\n}\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
  ASSERT_EQ(r.result.counted.size(), 3u);
  EXPECT_EQ(r.result.counted[0].shared, 28000u);
  EXPECT_EQ(r.result.counted[1].shared, 28004u);
  EXPECT_EQ(r.result.counted[2].shared, 0u);
}

TEST(WrittenPrograms, FindAnIndexThatReachesTheSharedMemoryOfAnotherKernel) {
  NEEDS_CLANG();
  const RanMain r = run_text(
      "__global__ void a(int* y, int k) { __shared__ int s[64]; s[threadIdx.x] = 1; "
      "__syncthreads(); y[0] = s[k]; }\n"
      "__global__ void b(int* y) { __shared__ int s[4096]; s[threadIdx.x] = 3; __syncthreads(); "
      "if (threadIdx.x == 0) y[1] = s[0]; }\n"
      "int main() {\n  int* d;\n  cudaMalloc(&d, 8);\n  b<<<1, 64>>>(d);\n"
      "  for (int k = 300; k < 5000; k += 700) a<<<1, 1>>>(d, k);\n"
      "  for (int k = 300; k < 5000; k += 700) a<<<1, 1>>>(d, -k);\n"
      "  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n");
  EXPECT_EQ(kinds(r.result), Kinds{"out_of_bounds"}) << why(r.result);
}

TEST(WrittenPrograms, ObeyTheLimitsOfGrids) {
  NEEDS_CLANG();
  for (const auto& [grid, text] :
       {std::pair("dim3(1, 65536)",
                  "a grid of 1x65536 blocks is too large; at most 65535 are possible in y and z"),
        std::pair(
            "dim3(1, 1, 70000)",
            "a grid of 1x1x70000 blocks is too large; at most 65535 are possible in y and z")}) {
    const RanMain r = run_text(
        "#include <cstdio>\n__global__ void k() {}\nint main() {\n  k<<<1, 1>>>();\n  k<<<" +
        std::string(grid) + ", 1>>>();\n  return cudaDeviceSynchronize();\n}\n");
    EXPECT_EQ(kinds(r.result), Kinds{"bad_call"}) << why(r.result);
    EXPECT_NE(why(r.result).find(text), std::string::npos) << why(r.result);
  }
}

TEST(WrittenPrograms, LaunchWithBlanksInTheBrackets) {
  NEEDS_CLANG();
  prints(
      "#include <cstdio>\n#include <iostream>\n#include <vector>\n"
      "template <class T> __global__ void one(T* y, int v) { *y = v; }\n"
      "#define RUN(v) \\\n  one<int> << <dim3(1), (8 >> 3), 0 >> > \\\n    (d, v)\n"
      "struct S {};\ntemplate <class T> S& operator<< (S& s, T) { return s; }\n"
      "int main() {\n  int *d, h = 0;\n  S s;\n  operator<< <int>(s, 1);\n"
      "  std::vector<std::vector<int> > kept;\n  cudaMalloc(&d, 4);\n"
      "  one << <1, 1 >> > (d, 7);  // k << <1, 1 >> > (d);\n"
      "  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  printf(\"%d k << <1 \", h);\n"
      "  RUN(8);\n  cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n  printf(\"%d\\n\", h);\n"
      "  cudaFree(d);\n}\n",
      "7 k << <1 8\n");
}

TEST(WrittenPrograms, KeepPlacesWhereLaunchesAreJoined) {
  EXPECT_EQ(ptx::with_joined_launches("k << <1, 1 >> > (d); // k << <1 >> > ()\n"),
            "k <<< 1, 1 >>>  (d); // k << <1 >> > ()\n");
  EXPECT_EQ(ptx::with_joined_launches("k <<\n  <1,\n1>>\n> (d);"), "k <<<  \n1,\n1>>>\n (d);");
  EXPECT_EQ(ptx::with_joined_launches("k << <1, 1 >> > /* ; */ // >> >\n (d);"),
            "k <<< 1, 1 >>>  /* ; */ // >> >\n (d);");
  for (const char* same : {"a << b; c >> (d);", "operator<< <T>(x); vector<vector<A> > (y);",
                           "k<<<1, 2>>>(d);", "\"k << <1 >> > (d)\"", "k << <"}) {
    EXPECT_EQ(ptx::with_joined_launches(same), same);
  }
}

TEST(WrittenPrograms, IncludeEachHeaderOfSamplesAlone) {
  NEEDS_CLANG();
  for (const auto& [header, use] :
       {std::pair("helper_timer.h", "StopWatchInterface* t; sdkCreateTimer(&t); sdkStartTimer(&t)"),
        std::pair("helper_string.h", "checkCmdLineFlag(0, nullptr, \"n\")"),
        std::pair("helper_image.h", "float x = 0; sdkCompareL2fe(&x, &x, 1, 1)"),
        std::pair("helper_functions.h", "StopWatchInterface* t; sdkCreateTimer(&t)"),
        std::pair("helper_cuda.h", "checkCudaErrors(cudaSuccess); findCudaDevice(0, nullptr)"),
        std::pair("sm_61_intrinsics.h",
                  "cudaSharedMemConfig c; cudaDeviceGetSharedMemConfig(&c)")}) {
    const RanMain r =
        run_text("#include <" + std::string(header) + ">\n__global__ void k() {}\nint main() { " +
                 use + "; k<<<1, 1>>>(); cudaDeviceSynchronize(); }\n");
    EXPECT_EQ(verdict_of(r.result), Verdict::clean) << header << why(r.result);
  }
}

TEST(WrittenPrograms, MayDefineWhatAnotherHeaderOfSamplesHas) {
  NEEDS_CLANG();
  prints(
      "#include <cstdio>\n#include <helper_timer.h>\nint findCudaDevice(int) { return 4; }\n"
      "__global__ void k() {}\nint main() {\n  k<<<1, 1>>>();\n  cudaDeviceSynchronize();\n"
      "  printf(\"%d\\n\", findCudaDevice(0));\n}\n",
      "4\n");
}

TEST(WrittenPrograms, TakeTheGreaterOfDifferentTypes) {
  NEEDS_CLANG();
  prints(
      "#include <cstdio>\n#include <cstdint>\n"
      "__global__ void k(double* y) {\n"
      "  if (threadIdx.x == 0) y[0] = max(1, 5u) + min(2.5f, 3.5) + max(7ull, 2ull);\n"
      "  uint64_t v = threadIdx.x + (uint64_t{1} << 40);\n"
      "  v = __shfl_sync(~0u, v, 3);\n  if (threadIdx.x == 0) y[1] = v - (uint64_t{1} << 40);\n}\n"
      "int main() {\n  double *d, h[2];\n  const unsigned n = 6;\n  cudaMalloc(&d, 16);\n"
      "  k<<<1, 32>>>(d);\n  cudaMemcpy(h, d, 16, cudaMemcpyDeviceToHost);\n  cudaFree(d);\n"
      "  printf(\"%g %g %u %g %g\\n\", h[0], h[1], max(1, n / 2u), max(1.f, 2.0), "
      "double(min(n, 2ul)));\n}\n",
      "14.5 3 3 2 2\n");
}

// What CUDA answers to calls that it refuses, by its numbers.
TEST(WrittenPrograms, AreToldWhatCudaRefuses) {
  NEEDS_CLANG();
  struct Call {
    const char* text;
    int error;
    const char* says;
  };
  for (const Call& c :
       {Call{"cudaMemcpy2D(d, 8, h, 16, 16, 2, cudaMemcpyHostToDevice)", 12, "cudaMemcpy2D, whose"},
        Call{"cudaMemcpy2DAsync(d, 16, h, 8, 16, 2, cudaMemcpyHostToDevice, s)", 12, "pitch"},
        Call{"cudaMemset2D(d, 4, 0, 8, 2)", 12, "cudaMemset2D"},
        Call{"cudaMemcpy(d, h, 4, cudaMemcpyKind(7))", 21, "a copy of unknown kind 7"},
        Call{"cudaMemcpy(d, nullptr, 4, cudaMemcpyHostToDevice)", 1, "4 bytes from a null pointer"},
        Call{"cudaMemcpy(nullptr, d, 4, cudaMemcpyDeviceToHost)", 1, "4 bytes to a null pointer"},
        Call{"cudaMemcpyToSymbol(v, h, 4, 0, cudaMemcpyDeviceToHost)", 21, "cudaMemcpyToSymbol"},
        Call{"cudaMemcpyFromSymbol(h, v, 4, 0, cudaMemcpyHostToDevice)", 21, "its source"},
        Call{"(cudaStreamDestroy(s), k<<<1, 1, 0, s>>>(d), cudaGetLastError())", 400, ""},
        Call{"(cudaStreamDestroy(s), cudaMemsetAsync(d, 0, 4, s))", 400, "fill in a stream that"},
        Call{"(cudaStreamDestroy(s), cudaStreamSynchronize(s))", 400, "is destroyed"},
        Call{"(cudaStreamDestroy(s), cudaEventRecord(e, s))", 400, "cudaEventRecord"},
        Call{"(cudaStreamDestroy(s), cudaStreamDestroy(s))", 400, "cudaStreamDestroy"},
        Call{"cudaStreamDestroy(0)", 400, "a default stream"},
        Call{"(cudaEventDestroy(e), cudaEventRecord(e))", 400, "of an event that is destroyed"},
        Call{"cudaEventSynchronize(cudaEvent_t(0))", 400, "cudaEventSynchronize"},
        Call{"cudaEventElapsedTime(&ms, e, e)", 400, "never recorded"},
        Call{"cudaSetDevice(1)", 101, "cudaSetDevice of a device other than 0"},
        Call{"cudaGetDeviceProperties(&all, 1)", 101, "cudaGetDeviceProperties"},
        Call{"cudaMallocManaged(&h, 0)", 1, "cudaMallocManaged of 0 bytes"},
        Call{"cudaHostRegister(h, 0, 0)", 1, "cudaHostRegister"},
        Call{"(cudaHostRegister(h, 256, 0), cudaHostRegister(h, 256, 0))", 712,
             "already registered"},
        Call{"cudaHostUnregister(h)", 713, "not registered"},
        Call{"cudaHostAlloc(&h, 4, 64)", 1, "unknown flags"},
        Call{"cudaEventCreateWithFlags(&e, 64)", 1, "unknown flags"},
        Call{"cudaSetDeviceFlags(3)", 1, "unknown flags"},
        Call{"(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), cudaEventRecord(e), "
             "cudaEventElapsedTime(&ms, e, e))",
             400, "cudaEventDisableTiming"},
        Call{"(cudaStreamDestroy(s), cudaMallocAsync(&h, 4, s))", 400, "cudaMallocAsync in a"},
        Call{"(cudaStreamDestroy(s), cudaFreeAsync(d, s))", 400, "cudaFreeAsync in a stream"},
        Call{"cudaStreamAddCallback(s, nullptr, nullptr, 0)", 1, "without a function"},
        Call{"cudaLaunchHostFunc(s, nullptr, nullptr)", 1, "without a function"},
        Call{"cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 101)", 1,
             "percent"}}) {
    const RanMain r = run_text(
        "#include <cstdio>\n__device__ int v;\n__global__ void k(int* y) { *y = v; }\n"
        "int main() {\n  int *d, some[64] = {}, *h = some;\n  float ms;\n  cudaDeviceProp all;\n"
        "  cudaStream_t s;\n  cudaEvent_t e;\n  cudaStreamCreate(&s);\n  cudaEventCreate(&e);\n"
        "  cudaMalloc(&d, 256);\n  k<<<1, 1>>>(d);\n  cudaDeviceSynchronize();\n"
        "  printf(\"%d\\n\", int(" +
        std::string(c.text) + "));\n  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n");
    EXPECT_EQ(r.printed, std::to_string(c.error) + "\n") << c.text << why(r.result);
    if (*c.says == 0) continue;  // main() has asked
    EXPECT_EQ(kinds(r.result), Kinds{"bad_call"}) << c.text << why(r.result);
    EXPECT_NE(why(r.result).find(c.says), std::string::npos) << c.text << why(r.result);
  }
}

TEST(WrittenPrograms, HaveLinesInIncludedFilesWhateverTheirFolderIsCalled) {
  NEEDS_CLANG();
  const system::TemporaryFolder folder;
  for (const auto& [name, part] :
       {std::pair("cuda", "part.cuh"), std::pair("include", "sm_part.h"),
        std::pair("cuda_samples", "cuda_part.h"), std::pair("lib", "device_functions.h"),
        std::pair("sm_90", "cooperative_groups_part.h"), std::pair("crt", "onefold-abcdef.h")}) {
    const std::string inside = folder.path() + "/" + name;
    std::filesystem::create_directory(inside);
    std::ofstream(inside + "/" + part) << "\n__device__ void add(int* y) {\n  *y += 1;\n}\n";
    std::ofstream(inside + "/all.cu")
        << "#include \"" << part
        << "\"\n__global__ void k(int* y) { add(y); }\nint main() {\n"
           "  int* d;\n  cudaMalloc(&d, 4);\n  cudaMemset(d, 0, 4);\n  k<<<1, 64>>>(d);\n"
           "  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n";
    const RanMain r = run_by("", inside + "/all.cu");
    EXPECT_NE(why(r.result).find(std::string(part) + ":3"), std::string::npos)
        << name << why(r.result);
  }
}

TEST(UserFiles, AreToldFromThoseOfAToolkit) {
  const std::string source = "/home/me/cuda/include/lib/sum.cu";
  for (const char* own :
       {"/home/me/cuda/include/lib/sum.cu", "/home/me/cuda/include/lib/part.cuh", "sum.cu",
        "/home/me/cuda/include/lib/../crt/part.h", "/home/me/cuda/cuda_helpers.h",
        "/home/me/cooperative_groups_helpers.h", "/home/me/sm_reduce.h", "device_functions_2.h",
        "/home/me/cuda/include/lib/onefold-abcdef/part.h", "/home/me/onefold-abcdef/part.h",
        "/home/me/cuda/include/lib/cub/part.cuh", "my_cuda_fp16.h"}) {
    EXPECT_TRUE(ptx::of_user(own, source)) << own;
  }
  for (const char* other :
       {"/usr/local/cuda/include/cooperative_groups.h", "/usr/include/c++/12/cmath",
        "/opt/cuda-13/targets/x86_64-linux/include/cuda_fp16.hpp", "/tmp/onefold-ab12CD.h",
        "/home/me/cccl/cub/cub/block/block_reduce.cuh", "/opt/include/thrust/reduce.h",
        "/home/me/venv/lib/python3.11/site-packages/nvidia/cu13/include/x.h", "cuda_fp16.h",
        "cooperative_groups/details/sync.h", "sm_35_intrinsics.h", "device_atomic_functions.hpp",
        "crt/device_functions.h", "/tmp/onefold-ab12CD/cooperative_groups.h", "nvrtc"}) {
    EXPECT_FALSE(ptx::of_user(other, source)) << other;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
