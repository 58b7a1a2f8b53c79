// Variances for a ddof of any number of bits: exact, and rounded once.
#include <gtest/gtest.h>

#include <cmath>

#include "check.hpp"
#include "onefold/onefold.hpp"

namespace onefold {
namespace {

using test::Data;

TEST(LongVariance, IsRoundedOnceForEveryDdof) {
  for (const DType t : {f64, f32, bf16, i32, i8}) {
    for (const std::string_view g : test::generators(t)) {
      for (const std::size_t n :
           {std::size_t{1}, std::size_t{2}, std::size_t{9}, std::size_t{700}}) {
        const Data x = test::generate(g, t, n, n);
        const oracle::Fold expected(oracle::type(name_of(t)), x.data(), n);
        const auto count = static_cast<double>(n);
        for (const double k :
             {0.1, 1.0 / 3, 1e-9, 1e-20, 1e-300, 5e-324, -5e-324, -1e-40, -1e18,
              std::nextafter(count, 0), std::nextafter(count, 1e9), count - 0x1p-40}) {
          Options options{.ddof = k};
          for (const std::optional<DType> result : {std::optional<DType>(), {f32}, {bf16}, {f16}}) {
            options.result = result;
            const Answers got = fold("var,std", ArrayRef(x.data(), t, {n}), options);
            ASSERT_EQ(test::compare(got, 0, expected, options), "")
                << test::describe(g, t, n, n) << test::describe(options);
          }
        }
      }
    }
  }
}

// 257/256 lies half way between two bf16: the smallest ddof there is puts it above.
TEST(LongVariance, LeavesTiesByTheSmallestDdof) {
  const std::vector<double> x{15.0 / 16, -15.0 / 16, 17.0 / 16, -17.0 / 16};
  const auto var_for = [&](double k) {
    return fold("var", x, {.result = bf16, .ddof = k}).list[0][0].bits;
  };
  EXPECT_EQ(var_for(0), 0x3f80u);
  EXPECT_EQ(var_for(5e-324), 0x3f81u);
  EXPECT_EQ(var_for(-5e-324), 0x3f80u);
  EXPECT_EQ(var(x, {.ddof = 5e-324}), 257.0 / 256);
  EXPECT_EQ(var(x, {.ddof = 0x1p-50}), 257.0 / 256 * (1 + 0x1p-52));
}

}  // namespace
}  // namespace onefold
