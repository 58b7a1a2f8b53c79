// Files that are read as one text keep to themselves what only they see.
#include "lab/source_files.hpp"

#include <gtest/gtest.h>

#include "lab/kernel_verdict.hpp"
#include "program.hpp"

namespace onefold::lab {
namespace ONEFOLD_FILE {

TEST(SourceFiles, KeepTheirStaticNamesAndMacros) {
  const std::string a =
      "#include <cstdio>\n#define THREADS 32\nstatic int* p;\n"
      "static __global__ void k(int* y) { y[threadIdx.x] = THREADS; }\n"
      "void first() { cudaMalloc(&p, 128); k<<<1, THREADS>>>(p); cudaMemset(p, 0, 4); }\n"
      "namespace { int count(int n) { return n; } }\n"
      "void second();\n"
      "int main() { first(); second(); printf(\"%d\\n\", count(1)); }\n";
  const std::string b =
      "// static int* q;\n#include <cstdio>\nstatic int *p, *other;\nnamespace {\n"
      "int count(int n) { return 2 * n; }\n}\n"
      "template <int THREADS> __global__ void twice(int* y) { y[threadIdx.x] = THREADS; }\n"
      "static __global__ void __launch_bounds__(64) k(int* y) { y[threadIdx.x] = 2; }\n"
      "void second() {\n  cudaMalloc(&p, 256); other = p;\n  k<<<1, 64>>>(p);\n"
      "  twice<64><<<1, 64>>>(other);\n  printf(\"%d \", count(1));\n}\n";
  const std::string text = joined({{"a.cu", a}, {"b.cu", b}});
  EXPECT_NE(text.find("#undef THREADS\n"), text.npos);
  for (const char* name : {"p", "k", "count"}) {
    EXPECT_NE(text.find(std::string("#define ") + name + " " + name + "_of_b\n"), text.npos)
        << name;
  }
  EXPECT_EQ(text.find("#define q"), text.npos);
  EXPECT_EQ(text.find("#define second"), text.npos);
  EXPECT_NE(text.find("#line 3 \"b.cu\"\nstatic int *p"), text.npos) << text;
  NEEDS_CLANG();
  const RanMain r = run_text(text);
  EXPECT_EQ(r.printed, "2 1\n");
  EXPECT_EQ(verdict_of(r.result), Verdict::clean) << why(r.result);
}

TEST(SourceFiles, LeaveMacrosThatAskWhetherTheyAreThere) {
  const std::string text = joined(
      {{"a.cu", "#ifndef N\n#define N 4\n#endif\nint main() { }\n"}, {"b.cu", "int n = N;\n"}});
  EXPECT_EQ(text.find("#undef"), text.npos);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::lab
