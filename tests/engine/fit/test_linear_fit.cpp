// Least squares from exact sums. (python/tests/test_fit.py compares fits with fractions.)
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "expect_error.hpp"
#include "generate.hpp"
#include "onefold/fit.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using Numbers = std::vector<double>;
using test::expect_error;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool all_nan(const Numbers& v) {
  return std::all_of(v.begin(), v.end(), [](double x) { return std::isnan(x); });
}

TEST(LinearFit, FindsALine) {
  const Numbers x = {1, 2, 3, 4}, y = {3, 5, 7, 9};
  const LinearFit fit = linear_fit(x, y);
  EXPECT_EQ(fit.coef, (Numbers{1, 2}));
  EXPECT_EQ(fit.standard_error, (Numbers{0, 0}));
  EXPECT_EQ(fit.r2, 1);
  EXPECT_EQ(fit.residual_std, 0);
  EXPECT_EQ(fit.n, 4);
  EXPECT_EQ(fit.dof, 2);
  EXPECT_EQ(fit.dependent, none);
}

TEST(LinearFit, WithoutAnInterceptGoesThroughTheOrigin) {
  const Numbers x = {4, 5, 6}, y = {3, 4, 4};
  const LinearFit fit = linear_fit(x, y, false);
  EXPECT_EQ(fit.coef, (Numbers{8.0 / 11}));  // 56 / 77
  EXPECT_EQ(fit.dof, 2);
}

TEST(LinearFit, SeesADifferenceInTheLastBit) {
  Numbers x = {1, 1, 1, 2, 2, 2}, y = {1, 2, 3};
  const ArrayRef columns(x.data(), DType::f64, Dims(3, 2), Dims(8, 24));
  EXPECT_EQ(linear_fit(columns, y).dependent, 1);  // a column of ones is the intercept
  EXPECT_EQ(linear_fit(columns, y, false).dependent, 1);
  EXPECT_TRUE(all_nan(linear_fit(columns, y).coef));
  x[0] = std::nextafter(1.0, 2.0);
  EXPECT_EQ(linear_fit(columns, y, false).dependent, none);
  EXPECT_EQ(linear_fit(columns, y).dependent, 2);
}

TEST(LinearFit, NamesAColumnOfZerosAndTooFewRows) {
  const Numbers zeros = {0, 0, 0}, y = {1, 2, 3}, one = {5};
  EXPECT_EQ(linear_fit(zeros, y, false).dependent, 0);
  EXPECT_EQ(linear_fit(one, one).dependent, 1);
  EXPECT_EQ(linear_fit(one, one, false).coef, (Numbers{1}));
  EXPECT_TRUE(all_nan(linear_fit(one, one, false).standard_error));
  EXPECT_EQ(linear_fit(Numbers{}, Numbers{}).dependent, 0);
}

TEST(LinearFit, HoldsAnyRangeOfNumbers) {
  const Numbers x = {1e-320, 2e-320, 3e-320}, y = {1e300, 2e300, 3e300};
  EXPECT_TRUE(std::isinf(linear_fit(x, y).coef[1]));
  const LinearFit back = linear_fit(y, x, false);
  EXPECT_EQ(back.coef, (Numbers{0}));  // 1e-620
  const Numbers wide = {1e-300, 1, 1e300}, line = {2e-300, 2, 2e300};
  EXPECT_EQ(linear_fit(wide, line).coef, (Numbers{0, 2}));
}

TEST(LinearFit, FollowsThePolicyOfNan) {
  const Numbers x = {1, 2, nan, 3, 4}, y = {3, 5, 1, 7, 9};
  EXPECT_TRUE(all_nan(linear_fit(x, y).coef));
  EXPECT_TRUE(all_nan(linear_fit(y, x).coef));
  const LinearFit fit = linear_fit(x, y, true, {.nan = NanPolicy::omit});
  EXPECT_EQ(fit.coef, (Numbers{1, 2}));
  EXPECT_EQ(fit.n, 4);
  expect_error(ErrorCode::nan_found, {"linear_fit"},
               [&] { linear_fit(x, y, true, {.nan = NanPolicy::raise}); });
  const Numbers infinite = {1, 2, std::numeric_limits<double>::infinity(), 3, 4};
  EXPECT_TRUE(all_nan(linear_fit(infinite, y).coef));
}

TEST(LinearFit, TakesIntegersOf64Bits) {
  const std::vector<int64_t> x = {int64_max, int64_max - 1, int64_max - 2},
                             y = {int64_max, int64_max - 3, int64_max - 6};
  EXPECT_EQ(linear_fit(x, y).coef[1], 3);
  EXPECT_EQ(linear_fit(x, y).coef[0], -0x1p64 + 2);
}

TEST(LinearFit, HasTheSameBitsForAnyOrderOfRowsAndColumns) {
  const Size n = 70'000, p = 3;  // more than one block
  test::Random random(59);
  Numbers x(n * p), y(n), turned(n * p), turned_y(n);
  for (double& v : x) v = static_cast<double>(random() % 100'000) / 7;
  for (double& v : y) v = static_cast<double>(random() % 100'000) / 3;
  for (Size r = 0; r < n; ++r) {
    turned_y[n - 1 - r] = y[r];
    for (Size j = 0; j < p; ++j) turned[(p - 1 - j) * n + n - 1 - r] = x[r * p + j];
  }
  const ArrayRef rows(x.data(), DType::f64, Dims(n, p));
  const ArrayRef columns(turned.data(), DType::f64, Dims(n, p), Dims(8, 8 * n));
  const LinearFit fit = linear_fit(rows, y);
  for (const int threads : {1, 3}) {
    const LinearFit other = linear_fit(columns, turned_y, true, {.threads = threads});
    EXPECT_EQ(other.r2, fit.r2);
    EXPECT_EQ(other.residual_std, fit.residual_std);
    EXPECT_EQ(other.coef, (Numbers{fit.coef[0], fit.coef[3], fit.coef[2], fit.coef[1]}));
    EXPECT_EQ(other.standard_error[1], fit.standard_error[3]);
  }
}

TEST(LinearFit, SaysWhatIsWrong) {
  const Numbers x = {1, 2, 3}, y = {1, 2};
  const std::vector<float> floats = {1, 2, 3};
  expect_error(ErrorCode::shape_mismatch, {"linear_fit", "(3,)", "(2,)"},
               [&] { linear_fit(x, y); });
  expect_error(ErrorCode::type_mismatch, {"f64", "f32"}, [&] { linear_fit(x, floats); });
  expect_error(ErrorCode::bad_option, {".ddof"}, [&] { linear_fit(x, x, true, {.ddof = 1}); });
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
