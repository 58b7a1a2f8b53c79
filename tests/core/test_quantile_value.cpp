// Means of two floats by a quick way have the bits of the general one.
#include <gtest/gtest.h>

#include <random>

#include "onefold/core/quantile/value.hpp"

namespace ONEFOLD_FILE {

using namespace onefold;

template <class T>
class QuantileValues : public testing::Test {};
using Floats = testing::Types<float, double, float16, bfloat16>;
TYPED_TEST_SUITE(QuantileValues, Floats);

TYPED_TEST(QuantileValues, HalfWayHaveTheBitsOfTheGeneralWay) {
  using T = TypeParam;
  constexpr FloatFormat f = float_format(dtype_of<T>);
  const QuantilePlace half{.rank = 0, .rest = 1, .of = 2};
  std::mt19937_64 draw(7);
  for (int k = 0; k < 400000; ++k) {
    const auto a = static_cast<bits_of<T>>(draw());
    // Any number, or one that is near in its bits, and either sign.
    const auto b = static_cast<bits_of<T>>(k % 3 == 0 ? draw() : a ^ (draw() & 0x1ff));
    const T x = bit_cast<T>(a),
            y = bit_cast<T>(static_cast<bits_of<T>>(k % 5 == 0 ? b ^ f.sign() : b));
    const uint64_t low = std::min(key_of(x), key_of(y)), high = std::max(key_of(x), key_of(y));
    if (decode(x).nan || decode(y).nan || low == high) continue;
    ASSERT_EQ(quantile_between<T>(low, high, half, dtype_of<T>),
              detail::value_between(detail::quantile_number(element_of<T>(low)),
                                    detail::quantile_number(element_of<T>(high)), half, f))
        << a << " " << b;
  }
}

}  // namespace ONEFOLD_FILE
