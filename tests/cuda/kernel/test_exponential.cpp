// Numbers of one f64 and of one f32 that kernels of logsumexp use: their errors, and that an answer
// which they call proven is the exact one rounded.
#include "onefold/cuda/kernel/exponential/numbers.hpp"

#include <gtest/gtest.h>

#include "big_float.hpp"
#include "generate.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using namespace kernel;
using Big = test::BigFloat<200>;
using test::Random;

double random_number(Random& r, double least, double most) {
  return least + (most - least) * (static_cast<double>(r() >> 11) * 0x1p-53);
}

TEST(KernelExponentials, OfOneF64HaveTheErrorsThatTheyTell) {
  Random r(1);
  for (int round = 0; round < 3000; ++round) {
    const double most = round % 2 == 0 ? 1 : 700;
    const double x[2] = {random_number(r, -most, most), random_number(r, -most, most)};
    double rough[2], quick[2];
    exponentials<Exponentials::rough>(x, rough);
    exponentials<Exponentials::quick>(x, quick);
    for (int k = 0; k < 2; ++k) {
      const Big want = exp(Big(x[k]));
      EXPECT_LT(abs(Big(rough[k]) - want), want * 0x1p-45) << x[k];
      EXPECT_LT(abs(Big(quick[k]) - want), want * 0x1p-50) << x[k];
    }
  }
}

template <class T>
T element(double v) {
  return from_double<T>(OneLane::narrow<T>(v));
}

// Some are not proven: one in 8,000 bf16, one in 200 f16, and those near 0.
template <class T>
void check_short_elements(uint64_t seed) {
  Random r(seed);
  constexpr FloatFormat f = float_format(dtype_of<T>);
  int proven = 0;
  constexpr int rounds = 4000;
  for (int round = 0; round < rounds; ++round) {
    const double log = random_number(r, -20, 40);
    const double below = round % 3 == 0 ? 100 : 12;
    const auto x = static_cast<float>(to_double(element<T>(log - random_number(r, 0, below))));
    const ShortLog words = short_log(log);
    uint32_t bits = 0;
    if (short_element<T>(x, words, false, bits)) {
      ++proven;
      EXPECT_EQ(bits, test::rounded(exp(Big(x) - Big(log)), f)) << x << " " << log;
    }
    if (short_element<T>(x, words, true, bits)) {
      EXPECT_EQ(bits, test::rounded(Big(x) - Big(log), f)) << x << " " << log;
    }
  }
  EXPECT_GT(proven, rounds * 9 / 10);
}
TEST(KernelExponentials, OfOneF32AreProvenRightly) {
  check_short_elements<bfloat16>(2);
  check_short_elements<float16>(3);
}

TEST(KernelExponentials, BitsBesideATieAreNotProven) {
  uint32_t bits = 0;
  EXPECT_FALSE(decided_quickly<float>(1 + 0x1p-24, bits));
  EXPECT_FALSE(decided_quickly<float>(1 + 0x1p-24 + 0x1p-48, bits));
  EXPECT_TRUE(decided_quickly<float>(1 + 0x1p-24 + 0x1p-44, bits));
  EXPECT_EQ(bits, bit_cast<uint32_t>(1.0f + 0x1p-23f));
  EXPECT_FALSE(decided_quickly<bfloat16>(1 + 0x1p-8, bits));
  EXPECT_FALSE(decided_quickly<float16>(0x1p-24 * 2.5, bits));  // subnormal
  EXPECT_TRUE(decided_quickly<float16>(0x1p-24 * 2.6, bits));
  EXPECT_EQ(bits, 3u);
  uint64_t word = 0;
  using L = ExponentialLane;
  EXPECT_FALSE(decided_pair<double>(PairElement<L>{1, 0x1p-53, 0x1p-90}, word));
  EXPECT_TRUE(decided_pair<double>(PairElement<L>{1, 0x1p-53 + 0x1p-80, 0x1p-90}, word));
  EXPECT_EQ(bit_cast<double>(word), 1 + 0x1p-52);
  EXPECT_FALSE(decided_pair<float>(PairElement<L>{1 + 0x1p-24, 0, 0x1p-90}, word));
  EXPECT_TRUE(decided_pair<float>(PairElement<L>{1 + 0x1p-24, 0x1p-80, 0x1p-90}, word));
  EXPECT_EQ(word, bit_cast<uint32_t>(1.0f + 0x1p-23f));
  // Ties of subnormal f32.
  for (const double odd : {0.5, 1.5}) {
    const double high = (0x1p22 + odd) * 0x1p-149;
    for (const double side : {-1.0, 1.0}) {
      const PairElement<L> q{high, side * high * 0x1p-54, high * 0x1p-83};
      ASSERT_TRUE(decided_pair<float>(q, word));
      EXPECT_EQ(word, 0x400000u + static_cast<uint64_t>(odd - 0.5 + (side > 0 ? 1 : 0)));
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
