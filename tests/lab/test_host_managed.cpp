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

TEST(HostManaged, FindsAnEarlyUseOfAManagedVariable) {
  NEEDS_CLANG();
  const auto text = [](const std::string& between, const std::string& use) {
    return "#include <cstdio>\n__managed__ int sum;\n__device__ __managed__ int by[4] = {3, 4};\n"
           "static __managed__ float many[5000];\nint plain = 7;\n"
           "__global__ void k() { atomicAdd(&sum, 5); by[1] = 9; many[4000] = 2; }\n"
           "int main() {\n  plain = 8;\n  k<<<1, 1>>>();\n  " +
           between + "\n  plain += 1;\n  " + use + "\n  return plain != 9;\n}\n";
  };
  for (const auto& [use, name] :
       {std::pair("if (sum == 6) return 1;", "sum"), std::pair("by[1] = 2;", "by"),
        std::pair("if (by[1] == 6) return 1;", "by"),
        std::pair("float s = 0; for (float v : many) s += v; if (s == 3) return 1;", "many")}) {
    EXPECT_EQ(why(run_text(text("", use)).result),
              "bad_call: main() uses the managed variable " + std::string(name) +
                  " that k has written, without cudaDeviceSynchronize() between them")
        << use;
  }
  const RanMain late =
      run_text(text("cudaDeviceSynchronize();", "if (sum + by[1] + many[4000] != 16) return 1;"));
  EXPECT_EQ(verdict_of(late.result), Verdict::clean) << why(late.result);
  const RanMain others = run_text(text("", "if (by[0] != 3 || many[7] != 0) return 1;"));
  EXPECT_EQ(verdict_of(others.result), Verdict::clean) << why(others.result);
}

TEST(HostManaged, IsReachedByTheAddressOfAManagedVariable) {
  NEEDS_CLANG();
  const auto text = [](const std::string& use) {
    return "__managed__ int sum = 5;\n__device__ __managed__ float by[4] = {1, 2};\n"
           "__global__ void k(int* p, float* q) { *p += 1; sum += 10; q[1] += 1; by[1] += 1; }\n"
           "int main() {\n  int* p, h = 40;\n  float* q;\n"
           "  cudaGetSymbolAddress((void**)&p, sum);\n  cudaGetSymbolAddress((void**)&q, by);\n"
           "  if (p != &sum || q != by || *p != 5) return 1;\n  *p = 7;\n"
           "  k<<<1, 1>>>(p, q);\n  " +
           use + "\n}\n";
  };
  for (const char* use :
       {"cudaDeviceSynchronize(); return *p != 18 || sum != 18 || q[1] != 4;",
        "cudaMemcpyToSymbol(sum, &h, 4); return sum != 40;",
        "cudaMemcpyToSymbol(sum, &h, 4); k<<<1, 1>>>(p, q); cudaDeviceSynchronize(); "
        "return *p != 51;",
        "cudaMemcpyFromSymbol(&h, sum, 4); return h != 18;",
        "cudaMemset(q + 1, 0, 4); cudaDeviceSynchronize(); return by[1] != 0 || by[0] != 1;"}) {
    const RanMain r = run_text(text(use));
    EXPECT_EQ(verdict_of(r.result), Verdict::clean) << use << why(r.result);
  }
  EXPECT_EQ(why(run_text(text("return *p == 3;")).result),
            "bad_call: main() uses the managed variable sum that k has written, without "
            "cudaDeviceSynchronize() between them");
}

// The system cannot read memory that is closed, so main() copies it.
TEST(HostManaged, IsWrittenToFilesAndReadFromThem) {
  NEEDS_CLANG();
  const auto text = [](const std::string& use) {
    return "#include <cstdio>\n#include <unistd.h>\n"
           "__global__ void k(char* y) { y[threadIdx.x] = 'a' + threadIdx.x; }\n"
           "int main() {\n  char* y;\n  int p[2];\n  cudaMallocManaged(&y, 10000);\n"
           "  k<<<1, 4>>>(y);\n  if (pipe(p) != 0) return 1;\n  FILE* f = tmpfile();\n  " +
           use + "\n}\n";
  };
  const std::string early =
      "bad_call: main() uses managed memory that k has written, without "
      "cudaDeviceSynchronize() between them";
  for (const char* use :
       {"return write(p[1], y, 4) != 4;", "return fwrite(y, 1, 9000, f) != 9000;",
        "if (write(p[1], \"xyz\", 3) != 3) return 1; return read(p[0], y + 2, 3) != 3;",
        "fputs(\"xyz\", f); rewind(f); return fread(y, 1, 3, f) != 3;"}) {
    EXPECT_EQ(why(run_text(text(use)).result), early) << use;
  }
  const RanMain others = run_text(text("return write(p[1], y + 4, 5) != 5;"));
  EXPECT_EQ(verdict_of(others.result), Verdict::clean) << why(others.result);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
