// Matrices of columns, and least squares, against ops and GMP's rationals.
#include <gtest/gtest.h>

#include "onefold/fit.hpp"

namespace {

using namespace onefold;

TEST(Fit, FindsALine) {
  const std::vector<double> x = {1, 2, 3, 4}, y = {3, 5, 7, 9};
  const LinearFit fit = linear_fit(x, y);
  EXPECT_EQ(fit.coef, (std::vector<double>{1, 2}));
  EXPECT_EQ(fit.standard_error, (std::vector<double>{0, 0}));
  EXPECT_EQ(fit.r2, 1);
  EXPECT_EQ(fit.residual_std, 0);
  EXPECT_EQ(fit.dof, 2);
}

}  // namespace
