// Error bounds of the sums that a device computes weighted statistics with (kernel/weighted/): the
// true value of each single sum lies within its bound.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "onefold/cuda/kernel/weighted/decide.hpp"

namespace onefold::kernel {
namespace ONEFOLD_FILE {

struct Element {
  double x, y, w;
};
using Elements = std::vector<Element>;

mpq_class factor_of(Factor f, const mpq_class& x, const mpq_class& y) {
  switch (f) {
    case Factor::one:
      return 1;
    case Factor::zero:
      return x == 0 ? 1 : 0;
    case Factor::x:
      return x;
    case Factor::y:
      return y;
    case Factor::square:
      return x * x;
    case Factor::magnitude:
      return abs(x);
    case Factor::difference:
      return x - y;
    case Factor::distance:
      return abs(x - y);
  }
  return 0;
}
mpq_class exact_sum(Term t, const Elements& elements, double x0, double y0) {
  mpq_class sum = 0;
  for (const Element& e : elements) {
    const mpq_class x = mpq_class(e.x) - mpq_class(x0), y = mpq_class(e.y) - mpq_class(y0);
    sum += mpq_class(e.w) * factor_of(factors_of(t).a, x, y) * factor_of(factors_of(t).b, x, y);
  }
  return sum;
}
mpq_class value_of(const Near& v) { return v.value; }
mpq_class value_of(const Wide& v) { return mpq_class(v.high) + mpq_class(v.low); }

// Returns how many bounds were compared.
//   wide   sums of two f64
template <class T, OpSet ops, bool wide>
int judge(const Elements& elements) {
  using All = WeightedTotals<T, ops, false, wide>;
  All totals;
  const double x0 = All::shifts ? elements[0].x : 0, y0 = All::shifts ? elements[0].y : 0;
  Size index = 0;
  for (const Element& e : elements) {
    totals.add(static_cast<T>(e.x), static_cast<T>(e.y), static_cast<T>(e.w), false, index++, x0,
               y0);
  }
  const Correction none{};
  const WeightedView<All> view(totals, none, static_cast<double>(elements.size()), x0, y0);
  if (!view.is_tame()) return 0;
  int n = 0;
  each_term<All::terms>([&]<Term t>() {
    const auto v = view(t);
    const mpq_class off = abs(value_of(v) - exact_sum(t, elements, x0, y0));
    EXPECT_TRUE(off <= mpq_class(v.error)) << "term " << static_cast<int>(t);
    ++n;
  });
  return n;
}
template <class T, bool wide>
int judge_all(const Elements& elements) {
  using enum OpIndex;
  constexpr uint32_t shifted = bit_of(var_) | bit_of(skewness_) | bit_of(kurtosis_);
  return judge<T, shifted, wide>(elements) +
         judge<T, shifted | bit_of(norm1_) | bit_of(sumsq_), wide>(elements) +
         judge<T, bit_of(corr_) | bit_of(slope_), wide>(elements) +
         judge<T, bit_of(mse_) | bit_of(mae_) | bit_of(dot_), wide>(elements);
}

class WeightedBounds : public testing::TestWithParam<double> {};

TEST_P(WeightedBounds, HoldAroundAnyMean) {
  std::mt19937_64 random{17};
  std::normal_distribution<double> normal{GetParam(), 1};
  std::lognormal_distribution<double> scale{0, 3};
  int bounds = 0;
  for (const std::size_t n : {1, 2, 3, 17, 64, 300}) {
    for (int round = 0; round < 20; ++round) {
      Elements elements(n);
      for (Element& e : elements) {
        const double far = round % 2 == 0 ? 1 : scale(random);
        e = {static_cast<float>(normal(random) * far), static_cast<float>(normal(random)),
             static_cast<float>(scale(random) * (round % 5 == 4 ? normal(random) : 1))};
      }
      bounds += judge_all<float, false>(elements) + judge_all<float, true>(elements);
      for (Element& e : elements) e = {e.x + normal(random), e.y / 3, e.w * (1 + normal(random))};
      bounds += judge_all<double, false>(elements);
    }
  }
  EXPECT_GT(bounds, 2000);
}
INSTANTIATE_TEST_SUITE_P(Means, WeightedBounds, testing::Values(0, 1, -1000, 1e6));

}  // namespace ONEFOLD_FILE
}  // namespace onefold::kernel
