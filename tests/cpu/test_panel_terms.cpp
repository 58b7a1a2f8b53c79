// Terms as template parameters have the members that they were given, at run time too.

#include <gtest/gtest.h>

#include <cmath>

#include "onefold/cpu/panel/terms.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

// Not a constant expression: these were right with every compiler.
template <PanelTerms terms>
void expect_members(double fill_x, double fill_y, double empty, bool weighted, bool narrow) {
  EXPECT_EQ(terms.fill_x, fill_x);
  EXPECT_EQ(terms.fill_y, fill_y);
  EXPECT_EQ(terms.empty, empty);
  EXPECT_EQ(std::signbit(terms.empty), std::signbit(empty));
  EXPECT_EQ(terms.weighted, weighted);
  EXPECT_EQ(terms.narrow, narrow);
}

TEST(PanelTerms, AreReadAtRunTimeAsTheyWereGiven) {
  expect_members<panel_terms::zeros>(1.0, 0.0, 0.0, false, false);
  expect_members<panel_terms::products>(-0.0, 1.0, -0.0, false, false);
  constexpr PanelTerms all{.term = {{Term::x}, {Term::xx, PanelTotals::square}},
                           .count = 2,
                           .nonfinite = Nonfinite::nan,
                           .fill_x = 2.0,
                           .fill_y = 3.0,
                           .empty = 4.0,
                           .weighted = true};
  expect_members<all>(2.0, 3.0, 4.0, true, false);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
