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
        Call{"cudaMemcpy(d, h, 4, cudaMemcpyKind(7))", 21, "a copy of kind 7"},
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
        Call{"cudaSetDevice(1)", 101, "cudaSetDevice of another device"},
        Call{"cudaGetDeviceProperties(&all, 1)", 101, "cudaGetDeviceProperties"},
        Call{"cudaMallocManaged(&h, 0)", 1, "cudaMallocManaged of 0 bytes"},
        Call{"cudaHostRegister(h, 0, 0)", 1, "cudaHostRegister"}}) {
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
  for (const char* name : {"cuda", "include", "cuda_samples", "lib", "sm_90", "crt"}) {
    const std::string inside = folder.path() + "/" + name;
    std::filesystem::create_directory(inside);
    std::ofstream(inside + "/part.cuh") << "\n__device__ void add(int* y) {\n  *y += 1;\n}\n";
    std::ofstream(inside + "/all.cu")
        << "#include \"part.cuh\"\n__global__ void k(int* y) { add(y); }\nint main() {\n"
           "  int* d;\n  cudaMalloc(&d, 4);\n  cudaMemset(d, 0, 4);\n  k<<<1, 64>>>(d);\n"
           "  cudaDeviceSynchronize();\n  cudaFree(d);\n}\n";
    const RanMain r = run_by("", inside + "/all.cu");
    EXPECT_NE(why(r.result).find("part.cuh:3"), std::string::npos) << name << why(r.result);
  }
}

TEST(UserFiles, AreToldFromThoseOfAToolkit) {
  const std::string source = "/home/me/cuda/include/lib/sum.cu";
  for (const char* own :
       {"/home/me/cuda/include/lib/sum.cu", "/home/me/cuda/include/lib/part.cuh", "sum.cu",
        "/home/me/cuda/include/lib/../crt/part.h", "/home/me/cuda/cuda_helpers.h"}) {
    EXPECT_TRUE(ptx::of_user(own, source)) << own;
  }
  for (const char* other :
       {"/usr/local/cuda/include/cooperative_groups.h", "/usr/include/c++/12/cmath",
        "/opt/cuda-13/targets/x86_64-linux/include/cuda_fp16.hpp", "/tmp/onefold-ab12CD.h",
        "/home/me/cccl/cub/cub/block/block_reduce.cuh", "/opt/include/thrust/reduce.h",
        "/home/me/venv/lib/python3.11/site-packages/nvidia/cu13/include/x.h", "cuda_fp16.h",
        "nvrtc"}) {
    EXPECT_FALSE(ptx::of_user(other, source)) << other;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
