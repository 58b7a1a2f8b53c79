// The fast sum of a few f64 gives the bits of the general one, or reports that it cannot.
#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "generate.hpp"
#include "guarded.hpp"
#include "onefold/cpu/feed.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::Random;

uint64_t bits(double x) { return bit_cast<uint64_t>(x); }

// Returns, for each target, whether the fast sum gave an answer.
std::vector<bool> expect_long_way(const double* x, Size n, const std::string& what) {
  // A call by name never uses the fast sum.
  const Answers by_name = fold("sum,mean", std::span(x, n));
  const double expected = by_name.get<double>("sum"), mean_of_x = by_name.get<double>("mean");
  std::vector<bool> answered;
  for (const Target t : usable_targets()) {
    SmallFold<double>* const quick = small_sum<double>(t);
    if (quick == nullptr) continue;
    double got = 0.5;
    answered.push_back(quick(x, n, &got));
    if (answered.back()) {
      EXPECT_EQ(bits(got), bits(expected)) << name_of(t) << ", n=" << n << ": " << what;
    }
    EXPECT_EQ(small_mean<double>(t)(x, n, &got), answered.back() && n != 0);
    if (answered.back() && n != 0) {
      EXPECT_EQ(bits(got), bits(mean_of_x)) << name_of(t) << ", mean of n=" << n << ": " << what;
    }
  }
  EXPECT_EQ(bits(mean(std::span(x, n))), bits(mean_of_x)) << "mean of " << n << ": " << what;
  EXPECT_EQ(bits(sum(std::span(x, n))), bits(expected)) << n << ": " << what;
  return answered;
}
void expect_long_way(const std::vector<double>& x, const std::string& what) {
  expect_long_way(x.data(), x.size(), what);
}

TEST(SmallSum, GivesTheBitsOfTheLongWayForAllSizesAndReadsNothingElse) {
  Random r(1);
  test::Guarded memory(3000 * 8);
  for (const std::string_view g : test::generators(DType::f64)) {
    for (Size n = 0; n <= 3000; n += n < 140 ? 1 : 97) {
      const uint64_t seed = r() % 1000;
      const test::Data x = test::generate(g, DType::f64, n, seed);
      std::byte* p = memory.end() - n * 8;
      std::memcpy(p, x.data(), x.bytes());
      expect_long_way(reinterpret_cast<const double*>(p), n,
                      test::describe(g, DType::f64, n, seed));
    }
  }
}

constexpr Size most = small_sum_most<double>;

TEST(SmallSum, GivesTheBitsOfTheLongWayUpToItsLargestSize) {
  Random r(2);
  for (const std::string_view g : test::generators(DType::f64)) {
    for (const Size n : {most - 1, most, most + 1, Size{4097}}) {
      const uint64_t seed = r() % 1000;
      const test::Data x = test::generate(g, DType::f64, n, seed);
      const auto* p = reinterpret_cast<const double*>(x.data());
      if (n <= most) {
        expect_long_way(p, n, test::describe(g, DType::f64, n, seed));
      } else {
        EXPECT_EQ(bits(sum(std::span(p, n))), bits(sum(std::span(p, n), Options{})));
      }
    }
  }
}

// Does the same for f32, on targets that have a fast sum.
struct Tries {
  int all = 0, answered = 0;
};
void expect_long_way_of_f32(const float* x, Size n, const std::string& what, Tries& tries) {
  const Answers by_name = fold("sum,mean", std::span(x, n));
  for (const Target t : usable_targets()) {
    if (small_sum<float>(t) == nullptr) continue;
    for (const auto& [quick, op] :
         {std::pair(small_sum<float>(t), "sum"), std::pair(small_mean<float>(t), "mean")}) {
      float got = 0.5f;
      ++tries.all;
      if (!quick(x, n, &got)) continue;
      ++tries.answered;
      EXPECT_EQ(bit_cast<uint32_t>(got), bit_cast<uint32_t>(by_name.get<float>(op)))
          << op << " by " << name_of(t) << ", n=" << n << ": " << what;
    }
  }
}

TEST(SmallSum, GivesTheBitsOfTheLongWayOfF32) {
  Random r(4);
  test::Guarded memory(small_sum_most<float> * 4);
  for (const std::string_view g : test::generators(DType::f32)) {
    Tries tries;
    for (Size n = 1; n <= small_sum_most<float>; n += n < 140 ? 1 : n / 2) {
      const uint64_t seed = r() % 1000;
      const test::Data x = test::generate(g, DType::f32, n, seed);
      std::byte* p = memory.end() - n * 4;
      std::memcpy(p, x.data(), x.bytes());
      expect_long_way_of_f32(reinterpret_cast<const float*>(p), n,
                             test::describe(g, DType::f32, n, seed), tries);
    }
    if (g == test::generators(DType::f32)[0]) {
      EXPECT_EQ(tries.answered, tries.all) << g;
    }
  }
}

TEST(SmallSum, RoundsF32OnceAtTiesAndTheEndsOfTheRange) {
  using L = std::numeric_limits<float>;
  const float half = L::epsilon() / 2, tiny = L::denorm_min(), most = L::max();
  Tries tries;
  for (const std::vector<float>& x :
       std::vector<std::vector<float>>{{1, half},
                                       {1, half, tiny},  // a tie if rounded to f64 first
                                       {1 + 2 * half, half},
                                       {1 + 2 * half, half, -0x1p-80f},
                                       {most, most},
                                       {most, 0x1p103f},
                                       {most, 0x1p102f},
                                       {tiny, tiny, -tiny},
                                       {tiny, 0, 0},
                                       {3 * tiny, 0},
                                       {0x1p-126f, -tiny},
                                       {-0.0f, -0.0f},
                                       {-0.0f, 0.0f},
                                       {1, -1}}) {
    for (const float sign : {1.0f, -1.0f}) {
      std::vector<float> y = x;
      for (float& v : y) v *= sign;
      expect_long_way_of_f32(y.data(), y.size(), std::to_string(x[0]), tries);
    }
  }
  EXPECT_GT(tries.answered, tries.all / 2);
}

TEST(SmallSum, HoldsTheLargestElementsOfOneSign) {
  for (const int exponent : {-900, -1, 0, 1, 1000, 1012, 1013, 1024}) {
    const double x = std::ldexp(1 - std::ldexp(1.0, -53), exponent);
    for (const Size n : {Size{4064}, Size{4096}, most}) {
      expect_long_way(std::vector(n, x), "2^" + std::to_string(exponent) + " less an ulp");
      expect_long_way(std::vector(n, -x), "-2^" + std::to_string(exponent) + " and an ulp");
    }
  }
}

// The anchor comes from the first elements. How far above it later elements may be depends on how
// they add up. All are multiples of 2^-60, so their sum is an integer of 128 bits.
TEST(SmallSum, IsRightHoweverFarLaterElementsAreAboveTheFirst) {
  const auto expect_sum = [](const std::vector<double>& x, const std::string& what) {
    Int128 units = 0;
    for (const double v : x) units += static_cast<Int128>(std::ldexp(v, 60));
    const double expected = std::ldexp(static_cast<double>(units), -60);
    for (const Target t : usable_targets()) {
      SmallFold<double>* const quick = small_sum<double>(t);
      double got = 0.5;
      if (quick != nullptr && quick(x.data(), x.size(), &got)) {
        EXPECT_EQ(bits(got), bits(expected)) << name_of(t) << ": " << what;
      }
    }
    EXPECT_EQ(bits(sum(x, Options{})), bits(expected)) << "long way: " << what;
  };
  Random r(3);
  for (int exponent = 0; exponent < 50; ++exponent) {
    for (const Size n : {Size{40}, Size{130}, Size{700}, Size{5000}}) {
      const std::string what = "2^" + std::to_string(exponent) + ", n=" + std::to_string(n);
      std::vector<double> x(n);
      for (int signs = 0; signs < 4; ++signs) {  // all up, all down, alternating, one of each
        for (Size i = 0; i < n; ++i) {
          const double v = 1 + std::ldexp(static_cast<double>(r() % (1 << 20)), -20);
          const double sign = signs == 0 ? 1 : signs == 1 ? -1 : i % 2 == 0 ? 1 : -1;
          const bool is_high = i >= 33 && (signs != 3 || i == 35 || i == 36);
          x[i] = sign * v * (is_high ? std::ldexp(1.0, exponent) : 1);
        }
        expect_sum(x, what);
        for (double& v : x) v += std::ldexp(v, -33);
        expect_sum(x, what + ", and low bits");
      }
    }
  }
}

TEST(SmallSum, RoundsTiesAndTheEndsOfTheRange) {
  const double least = std::numeric_limits<double>::denorm_min(),
               most = std::numeric_limits<double>::max(), ulp = std::ldexp(1.0, -52);
  const std::vector<std::vector<double>> cases = {
      {1, ulp / 2},
      {1, ulp / 2, least},
      {1 + ulp, ulp / 2},
      {1 + ulp, ulp / 2, -std::ldexp(1.0, -80)},
      {most, most},
      {most, std::ldexp(1.0, 970)},
      {most, std::ldexp(1.0, 969)},
      {least, least, -least},
      {std::ldexp(1.0, -1022), -least},
      {std::ldexp(1.0, -880), -std::ldexp(1.0, -880), least},
      {std::ldexp(1.9, -900), std::ldexp(1.0, -985)},
      {1e300, 1, -1e300},
      {3, -3},
      {-0.0, -0.0, -0.0},
      {-0.0, 0.0},
      {0.0},
      {}};
  for (std::vector<double> x : cases) {
    expect_long_way(x, "as it is");
    for (double& v : x) v = -v;
    expect_long_way(x, "negated");
    x.insert(x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), 500, -0.0);
    expect_long_way(x, "with zeros");
  }
}

TEST(SmallSum, LeavesInfinitiesAndNanToTheLongWay) {
  for (const double special :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    for (const Size n : {1, 3, 8, 33, 600}) {
      for (Size at = 0; at < n; at += 1 + n / 7) {
        std::vector<double> x(n, 1.5);
        x[at] = special;
        for (const bool answered : expect_long_way(x.data(), n, "special")) {
          EXPECT_FALSE(answered);
        }
      }
    }
  }
}

TEST(SmallSum, AnswersOrdinaryData) {
  for (const Size n : {1, 8, 100, 1000, 10000}) {
    const test::Data x = test::generate(test::generators(DType::f64)[0], DType::f64, n, 5);
    for (const bool answered :
         expect_long_way(reinterpret_cast<const double*>(x.data()), n, "ordinary")) {
      EXPECT_TRUE(answered) << n;
    }
  }
}

// The caller flushes subnormals and rounds up: neither the answer nor the caller's mode changes.
TEST(SmallSum, DoesNotDependOnTheModeOfTheProcessor) {
  const std::vector<double> x{1, std::ldexp(1.0, -53), std::ldexp(1.0, -1074)};
  const std::vector<double> tiny{std::ldexp(1.0, -1060), std::ldexp(1.0, -1061)};
  const double expected = sum(x), expected_tiny = sum(tiny);
  const unsigned saved = _mm_getcsr();
  for (const unsigned mode : {0x1f80u | 0x8040u, 0x1f80u | 0x4000u, 0x1f80u | 0x2000u}) {
    _mm_setcsr(mode);
    const double got = sum(x), got_tiny = sum(tiny);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(saved);
    EXPECT_EQ(bits(got), bits(expected));
    EXPECT_EQ(bits(got_tiny), bits(expected_tiny));
    EXPECT_EQ(after & ~0x3fu, mode);
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
