// Every exponent of every floating-point type, with all fraction bits set: at each exponent this is
// the greatest load of a window, a chain or a bin.
#include <gtest/gtest.h>

#include "check.hpp"
#include "onefold/cpu/feed.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

class Exponents : public testing::TestWithParam<DType> {};

TEST_P(Exponents, OfElementsAreAllTheSame) {
  const DType t = GetParam();
  const std::string ops = test::ops_of_one_array(t);
  constexpr std::size_t n = 4500;  // more than two tiles of any feed, and a remainder
  for (int e = 0; e < test::exponents(t); ++e) {
    const test::Data x = test::largest(t, e, e % 2 != 0, n);
    const ArrayRef array(x.data(), t, Dims(n));
    const oracle::Fold expected(oracle::type(name_of(t)), array.data, n);
    for (const std::string_view target : cpu_targets()) {
      if (target == "portable") continue;
      const Options options{.threads = 1, .target = target};
      ASSERT_EQ(test::compare(fold(ops, array, options), 0, expected, options), "")
          << "exponent " << e << " " << target;
    }
  }
}

// Pairs whose products have exponents at the limits of f64, and other pairs.
TEST_P(Exponents, OfProductsAreAllTheSame) {
  const DType t = GetParam();
  const int exponents = test::exponents(t);
  constexpr std::size_t n = 2500;
  test::Random r(1);
  for (int e = 0; e < exponents; ++e) {
    const int bias = exponents / 2;
    std::vector<int> partners = {
        static_cast<int>(test::pick(r, 0, static_cast<uint64_t>(exponents) - 1))};
    for (const int of_product : {1013, 1014, 1015, 1023}) {
      partners.push_back(of_product - (e - bias) + bias);
    }
    for (const int partner : partners) {
      if (partner < 0 || partner >= exponents) continue;
      const test::Data x = test::largest(t, e, false, n),
                       y = test::largest(t, partner, e % 2 != 0, n);
      const ArrayRef left(x.data(), t, Dims(n)), right(y.data(), t, Dims(n));
      const oracle::Value expected =
          oracle::dot(oracle::type(name_of(t)), x.data(), y.data(), n, test::for_oracle({}));
      for (const std::string_view target : cpu_targets()) {
        if (target == "portable") continue;
        const Answers got = fold("dot", left, right, {.threads = 1, .target = target});
        ASSERT_EQ(test::compare("dot", got["dot"][0], expected), "")
            << "exponents " << e << " and " << partner << " " << target;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Exponents, testing::Values(f16, bf16, f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace ONEFOLD_FILE
}  // namespace onefold
