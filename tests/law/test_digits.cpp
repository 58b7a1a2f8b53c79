// A limb holds 2^31 digits of one sign and is carried after 2^30 elements. So the `lift` of an
// accumulator may add two digits of one sign to a limb. One that adds more would overflow in longer
// arrays than tests fold. This test finds it, declared (digits_per_lift) or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "generate.hpp"
#include "onefold/core/accumulator.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

template <class A>
void check(Accumulator a, DType t) {
  if constexpr (requires { A::limbs; }) {
    using T = typename A::Element;
    int most = 0;
    for (const char* data : {"limits", "any_bits", "random"}) {
      const auto names = test::generators(t);
      if (std::find(names.begin(), names.end(), data) == names.end()) continue;
      const test::Data x = test::generate(data, t, 2000, 1), y = test::generate(data, t, 2000, 2);
      for (std::size_t i = 0; i < x.size(); ++i) {
        std::map<std::pair<int, bool>, int> digits;  // digits of one sign give the largest limbs
        const auto sink = [&](int word, int64_t digit) {
          if (word >= A::limbs) return;
          ++digits[{word, digit < 0}];
          EXPECT_LT(digit < 0 ? -digit : digit, int64_t{1} << 32);
        };
        const auto of = [&](const test::Data& d) {
          return bit_cast<T>(static_cast<bits_of<T>>(d.bits(i)));
        };
        if constexpr (TwoInputs<A>) {
          A::lift(sink, of(x), of(y), i);
        } else {
          A::lift(sink, of(x), i);
        }
        for (const auto& [word, count] : digits) most = std::max(most, count);
      }
    }
    EXPECT_LE(static_cast<Size>(most) * most_uncarried, Size{1} << 31)
        << name_of(a) << " of " << name_of(t) << " adds " << most << " digits to a limb";
    EXPECT_GT(most, 0) << name_of(a) << " of " << name_of(t);
  }
}

TEST(Digits, OfOneElementAreAsManyAsALimbTakesBeforeItIsCarried) {
  for (int a = 0; a < every_accumulator; ++a) {
    for (int t = 0; t < dtype_count; ++t) {
      const auto accumulator = static_cast<Accumulator>(a);
      const auto dtype = static_cast<DType>(t);
      visit(accumulator, dtype, [&]<class A>() { check<A>(accumulator, dtype); });
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
