// Managed memory that main() uses before the kernel that writes it has ended.
#include <gtest/gtest.h>

#include "lab/kernel_verdict.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

TEST(HostManaged, FindsAUseOfManagedMemoryBeforeTheKernelHasEnded) {
  NEEDS_CLANG();
  const auto text = [](const char* between) {
    return std::string(
               "#include <cstdio>\n__global__ void twice(int* x) { x[threadIdx.x] *= 2; }\n"
               "int main() {\n  int *x, *other;\n  cudaMallocManaged(&x, 16);\n"
               "  cudaMallocManaged(&other, 16);\n  for (int k = 0; k < 4; ++k) x[k] = k;\n"
               "  twice<<<1, 4>>>(x);\n  *other = 5;\n  ") +
           between + "\n  printf(\"%d\\n\", x[3]);\n}\n";
  };
  const RanMain early = run_text(text(""));
  EXPECT_EQ(early.printed, "6\n");
  EXPECT_EQ(why(early.result),
            "bad_call: main() uses managed memory that twice has written, without "
            "cudaDeviceSynchronize() between them");
  for (const char* waits : {"cudaDeviceSynchronize();", "cudaStreamSynchronize(0);"}) {
    const RanMain r = run_text(text(waits));
    EXPECT_EQ(r.printed, "6\n");
    EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
  }
}

TEST(HostManaged, FindsTheFirstUseOfManagedMemoryByItsElement) {
  NEEDS_CLANG();
  const auto text = [](const char* kernel, const char* use) {
    return std::string("__global__ void k(int* y) { ") + kernel +
           " }\nint main() {\n  int *y;\n  cudaMallocManaged(&y, 400);\n  k<<<1, 64>>>(y);\n  " +
           use + "\n}\n";
  };
  const std::string early =
      "bad_call: main() uses managed memory that k has written, without "
      "cudaDeviceSynchronize() between them";
  // The first element keeps its value; all keep theirs; an atomic leaves its word as it was.
  const char* const first = "y[threadIdx.x] = 2 * threadIdx.x;";
  EXPECT_EQ(why(run_text(text(first, "for (int i = 0; i < 64; ++i) if (y[i] != 2 * i) return 1;"))
                    .result),
            early);
  EXPECT_EQ(why(run_text(text("y[threadIdx.x] = 0;", "return y[5];")).result), early);
  EXPECT_EQ(why(run_text(text("atomicAdd(y + 7, 0);", "return y[7];")).result), early);
  // Elements that the kernel leaves alone come first, in the same page.
  const char* const behind = "if (threadIdx.x > 31) y[threadIdx.x] = 5;";
  EXPECT_EQ(why(run_text(text(behind,
                              "int sum = 0; for (int i = 0; i < 40; ++i) sum += y[i];"
                              " return sum == 3;"))
                    .result),
            early);
  const RanMain others = run_text(text(behind, "y[3] = 1; return y[2] + y[90];"));
  EXPECT_EQ(verdict_of(others.result), Verdict::clean) << why(others.result);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
