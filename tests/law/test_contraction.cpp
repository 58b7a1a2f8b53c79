// Exact answers need each operation to be rounded separately. So our code must not be compiled with
// contraction or fast-math: g++ then fuses even the intrinsics of a * b + c into one fma.
#include <gtest/gtest.h>
#include <immintrin.h>

#include <fstream>
#include <string>

namespace ONEFOLD_FILE {

#define ONEFOLD_NOINLINE __attribute__((noinline, target("avx2,fma"), optimize("O2")))

ONEFOLD_NOINLINE double intrinsics(double a, double b, double c) {
  return _mm256_cvtsd_f64(
      _mm256_add_pd(_mm256_mul_pd(_mm256_set1_pd(a), _mm256_set1_pd(b)), _mm256_set1_pd(c)));
}
ONEFOLD_NOINLINE double scalar(double a, double b, double c) { return a * b + c; }

// (1 + 2^-30)(1 - 2^-30) = 1 - 2^-60 rounds to 1.
TEST(Contraction, IsNotDoneWithTheFlagsOfTheLibrary) {
  if (__builtin_cpu_supports("fma") == 0) GTEST_SKIP() << "this processor has no fma";
  volatile double a = 1 + 0x1p-30, b = 1 - 0x1p-30, c = -1;
  EXPECT_EQ(intrinsics(a, b, c), 0);
  EXPECT_EQ(scalar(a, b, c), 0);
}

TEST(Contraction, IsOffForEveryUnitOfTheLibrary) {
  std::ifstream file(ONEFOLD_COMPILE_COMMANDS);
  ASSERT_TRUE(file) << ONEFOLD_COMPILE_COMMANDS;
  int units = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.find("\"command\"") == std::string::npos) continue;
    if (line.find("onefold.dir/") == std::string::npos &&
        line.find("onefold_once.dir/") == std::string::npos) {
      continue;
    }
    ++units;
    EXPECT_NE(line.find(" -ffp-contract=off"), std::string::npos) << line;
    for (const char* bad :
         {"-ffast-math", "-Ofast", "-march=", "-mtune=", "-funsafe", "-ffinite"}) {
      EXPECT_EQ(line.find(bad), std::string::npos) << line;
    }
  }
  EXPECT_GT(units, 10);
}

}  // namespace ONEFOLD_FILE
