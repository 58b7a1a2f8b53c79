// The feeds of tally and zeros at the borders of their tiles, and for elements whose bytes resemble
// other kinds of elements. tests/law/test_feeds.cpp tests everything else.
#include "feed_check.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::expect_words_of_lift;

constexpr Accumulators counts = Accumulator::tally | Accumulator::zeros;

template <class T>
T from_bits(uint64_t bits) {
  return bit_cast<T>(static_cast<bits_of<T>>(bits));
}

template <class T>
class Counts : public testing::Test {};
using Numbers = testing::Types<Bool8, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                               uint32_t, uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(Counts, Numbers);

TYPED_TEST(Counts, TakeAnElementWithAnyBitForNotZero) {
  using T = TypeParam;
  std::vector<T> x(1000, from_bits<T>(0));
  for (std::size_t bit = 0; bit < 8 * sizeof(T); ++bit) {
    x[bit * 7] = from_bits<T>(uint64_t{1} << bit);
    expect_words_of_lift(counts, x, "bits up to " + std::to_string(bit));
  }
}

TYPED_TEST(Counts, SurviveMoreElementsThanALaneOfOneCanCount) {
  using T = TypeParam;
  const std::vector<T> x(300 * 1024 / sizeof(T) + 3, from_bits<T>(1));
  expect_words_of_lift(counts, x, "ones");
  expect_words_of_lift(counts, std::vector<T>(x.size(), from_bits<T>(0)), "zeros");
}

template <class T>
class FloatCounts : public testing::Test {};
using Floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(FloatCounts, Floats);

template <class T>
constexpr uint64_t sign = uint64_t{1} << (8 * sizeof(T) - 1);
template <class T>
constexpr uint64_t infinity = ((uint64_t{1} << float_format(dtype_of<T>).exponent_bits) - 1)
                              << float_format(dtype_of<T>).mantissa_bits;

TYPED_TEST(FloatCounts, FindOneSpecialElementAnywhere) {
  using T = TypeParam;
  const Size tile = 16384 / sizeof(T);
  for (const uint64_t special : {infinity<T>, infinity<T> | sign<T>, infinity<T> | 1, ~uint64_t{0},
                                 infinity<T> - 1, (infinity<T> - 1) | sign<T>}) {
    for (const Size at :
         {Size{0}, Size{5}, Size{70}, tile - 1, tile, 2 * tile - 1, 2 * tile + 2, 2 * tile + 30}) {
      std::vector<T> x(2 * tile + 31, from_bits<T>(sign<T> | 3));
      x[at] = from_bits<T>(special);
      expect_words_of_lift(counts, x, "special at " + std::to_string(at));
    }
  }
}

TYPED_TEST(FloatCounts, TellWhetherAllAreNegativeZero) {
  using T = TypeParam;
  for (const uint64_t other :
       {uint64_t{0}, uint64_t{1}, infinity<T>, infinity<T> | 1, sign<T> | 1}) {
    for (const Size at : {Size{0}, Size{64}, Size{1023}, Size{4000}, Size{9999}}) {
      std::vector<T> x(10000, from_bits<T>(sign<T>));
      expect_words_of_lift(counts, x, "all -0");
      x[at] = from_bits<T>(other);
      expect_words_of_lift(counts, x, "another at " + std::to_string(at));
    }
  }
  expect_words_of_lift(counts, std::vector<T>(10000, from_bits<T>(infinity<T> | 1)), "all NaN");
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
