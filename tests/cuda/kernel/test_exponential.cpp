// Numbers of one f64 and of one or two f32 that kernels of logsumexp and softmax use: their errors,
// and that an answer which they call proven is the exact one rounded.
#include "onefold/cuda/kernel/exponential/elements.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "big_float.hpp"
#include "generate.hpp"
#include "scaled.hpp"

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
  for (int round = 0; round < test::scaled(3000); ++round) {
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

// Few are not proven: one in 8,000 bf16, one in 200 f16, and those near 0.
template <class T, bool is_log>
void check_elements(uint64_t seed) {
  Random r(seed);
  constexpr FloatFormat f = float_format(dtype_of<T>);
  int proven = 0;
  constexpr int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    const double log = random_number(r, -6, 40);
    const double below = round % 3 == 0 ? 100 : 12;
    RowLog row;
    row.log_high = log;
    row.inverse_high = exp(-log);
    row.quick_error = 0x1p-46;
    const SoftmaxElements<T, is_log> of(row);
    T x[2], to[2];
    double e[2];
    for (T& v : x) v = element<T>(log - random_number(r, 0, below));
    if (round % 50 == 0) x[1] = element<T>(-HUGE_VAL);
    const auto check = [&](uint32_t open, const Big& inverse) {
      for (unsigned k = 0; k < 2; ++k) {
        if ((open >> k & 1) != 0) continue;
        ++proven;
        const double v = to_double(x[k]);
        const bool nothing = v == -HUGE_VAL;
        const uint64_t want = nothing  ? is_log ? f.sign() | f.infinity() : 0
                              : is_log ? test::rounded(Big(v) - Big(log), f)
                                       : test::rounded(exp(Big(v)) * inverse, f);
        EXPECT_EQ(bit_cast<bits_of<T>>(to[k]), want) << v << " " << log;
      }
    };
    check(of.quick(x, to), sizeof(T) == 2 ? exp(-Big(log)) : Big(row.inverse_high));
    if constexpr (!is_log) {
      for (unsigned k = 0; k < 2; ++k) e[k] = std::exp(to_double(x[k]));
      if constexpr (sizeof(T) == 2) {
        const float kept[2] = {static_cast<float>(e[0]), static_cast<float>(e[1])};
        check(of.of_exponentials(kept, to), Big(row.inverse_high));
      } else {
        check(of.of_exponentials(e, to), Big(row.inverse_high));
      }
    }
  }
  EXPECT_GT(proven, rounds * 9 / 10);
}
TEST(KernelExponentials, ElementsAreProvenRightly) {
  check_elements<bfloat16, false>(2);
  check_elements<bfloat16, true>(3);
  check_elements<float16, false>(4);
  check_elements<float16, true>(5);
  check_elements<float, false>(6);
  check_elements<float, true>(7);
}

TEST(KernelExponentials, BitsBesideATieAreNotProven) {
  EXPECT_FALSE(is_decided_f32(1 + 0x1p-24));
  EXPECT_FALSE(is_decided_f32(1 + 0x1p-24 + 0x1p-48));
  EXPECT_TRUE(is_decided_f32(1 + 0x1p-24 + 0x1p-44));
  EXPECT_FALSE(is_decided_f32(0x1p-127));
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
