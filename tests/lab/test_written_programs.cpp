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
