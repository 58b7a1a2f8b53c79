// The levels of exponentials against numbers of many bits: errors stay below what the code claims.
#include <gtest/gtest.h>

#include <cmath>

#include "big_float.hpp"
#include "generate.hpp"
#include "onefold/core/exponential/fixed.hpp"
#include "onefold/cpu/exponential/kernels.hpp"
#include "scaled.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using namespace cpu_backend;
using Big = test::BigFloat<400>;
using test::Random;

using Limbs = std::vector<uint64_t>;
Big value_of(const Limbs& a, int fraction) {
  test::BigFloat<4000> v = 0;
  for (std::size_t i = a.size(); i-- > 0;) v = ldexp(v, 64) + a[i];
  return Big(ldexp(v, -64 * fraction));
}
double error_of(DoublePair got, const Big& want) {
  return static_cast<double>(abs((Big(got.high) + Big(got.low) - want) / want));
}
double random_number(Random& r, double least, double most) {
  return least + (most - least) * (static_cast<double>(r() >> 11) * 0x1p-53);
}

TEST(FixedPoint, ExponentialsAndLogarithmsAreWithinTheirErrors) {
  Random r(1);
  for (const int fraction : {3, 4, 6}) {
    Limbs memory(static_cast<std::size_t>(FixedPoint<uint64_t*>::limbs(fraction)));
    const FixedPoint<uint64_t*> number(fraction, memory.data());
    const auto of = [&](double v) {
      Limbs a(static_cast<std::size_t>(fraction) + 1);
      limbs_of::add_double(a.data(), v, fraction, fraction + 1);
      return a;
    };
    Limbs got = of(0);
    for (int round = 0; round < test::scaled(60); ++round) {
      const double u = std::exp2(random_number(r, -60, 7));
      number.exp_minus(of(u).data(), got.data());
      const Big unit = ldexp(Big(1), -64 * fraction);
      EXPECT_LT(abs(value_of(got, fraction) - exp(-Big(u))), ldexp(unit, number.exp_error)) << u;
      const double s = 1 + std::exp2(random_number(r, -60, 40));
      number.log(of(s).data(), got.data());
      EXPECT_LT(abs(value_of(got, fraction) - log(Big(s))), ldexp(unit, 80)) << s;
    }
  }
}

TEST(Exponentials, OfTablesAreRoundedPairs) {
  for (unsigned i = 0; i < power_words; ++i) {
    const Big want = exp(log(Big(2)) * (i % 64) / (i < 128 ? 64 : 4096));
    const double high = power_word(i / 128 * 128 + i % 64);
    EXPECT_EQ(power_word(i), i % 128 < 64 ? static_cast<double>(want)
                                          : static_cast<double>(Big(want - Big(high))));
  }
}

TEST(Exponentials, OfPairsHaveRelativeErrorsBelow2ToThe88th) {
  Random r(2);
  for (int round = 0; round < test::scaled(4000); ++round) {
    const double x = round % 2 == 0 ? random_number(r, -680, 44) : random_number(r, -1, 1);
    const auto e = pair_exp<ExponentialLane>(x, 0, power_tables());
    EXPECT_LT(error_of({e.sum, e.rest}, exp(Big(x))), 0x1p-88) << x;
  }
}

// A row of 0 and one element has one exponential as its sum.
TEST(Exponentials, OfEveryInstructionSetHaveSmallErrors) {
  Random r(3);
  for (const Target target : usable_targets()) {
    const RowKernels& kernels = row_kernels(target, DType::f64);
    for (int round = 0; round < test::scaled(1500); ++round) {
      const double x[2] = {0, random_number(r, round % 2 == 0 ? -680 : -1, 0)};
      const Big want = exp(Big(x[1]));
      const RowSum quick = kernels.quick_sum(x, 2, 0, nullptr),
                   pair = kernels.pair_sum(x, 2, 0, nullptr);
      EXPECT_EQ(quick.at_greatest, 1);
      EXPECT_LT(error_of(quick.others, want), 0x1p-50) << name_of(target) << " " << x[1];
      EXPECT_LT(error_of(pair.others, want), 0x1p-88) << name_of(target) << " " << x[1];
    }
  }
}

TEST(Logarithms, OfSumsHaveTheErrorsThatTheyTell) {
  Random r(4);
  for (int round = 0; round < test::scaled(3000); ++round) {
    const double top = round % 3 == 0 ? 2 : 1;
    const double high = std::exp2(random_number(r, -60, 20)),
                 low = high * random_number(r, -1, 1) * 0x1p-54;
    const Big s = Big(top) + Big(high) + Big(low), want = log(s);
    const RowLog quick = quick_logs({{high, low}, top}, 0, 2),
                 pair = pair_logs({{high, low}, top}, 0, 2, power_tables());
    EXPECT_LT(abs(Big(quick.log_high) - want), Big(quick.quick_error)) << high;
    EXPECT_LT(abs(Big(pair.log_high) + Big(pair.log_low) - want), Big(pair.pair_error)) << high;
    EXPECT_LT(abs(Big(pair.log_high) - want), Big(pair.quick_error)) << high;
    EXPECT_LT(error_of({pair.inverse_high, pair.inverse_low}, 1 / s), 0x1p-90) << high;
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
