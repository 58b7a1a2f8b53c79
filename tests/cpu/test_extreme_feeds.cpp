// The feeds of least and greatest when the best element changes: zeros of both signs, NaNs and ties
// in different tiles and runs. tests/law/test_feeds.cpp tests everything else.
#include <limits>

#include "feed_check.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::expect_words_of_lift;
using test::Run;

constexpr Accumulators both = Accumulator::least | Accumulator::greatest;

template <class T>
T from_bits(uint64_t bits) {
  return bit_cast<T>(static_cast<bits_of<T>>(bits));
}
template <class T>
constexpr FloatFormat format = float_format(dtype_of<T>);
template <class T>
constexpr uint64_t sign = uint64_t{1} << (8 * sizeof(T) - 1);
template <class T>
constexpr uint64_t infinity = ((uint64_t{1} << format<T>.exponent_bits) - 1)
                              << format<T>.mantissa_bits;
template <class T>
constexpr uint64_t one = infinity<T> / 2 & infinity<T>;

// Tiles have 16 KB; the array has four tiles and a few elements.
template <class T>
constexpr Size tile = 16384 / sizeof(T);
template <class T>
std::vector<T> tiles(uint64_t bits) {
  return std::vector<T>(4 * tile<T> + 5, from_bits<T>(bits));
}

template <class T>
class FloatExtremes : public testing::Test {};
using Floats = testing::Types<float16, bfloat16, float, double>;
TYPED_TEST_SUITE(FloatExtremes, Floats);

TYPED_TEST(FloatExtremes, FindTheStrongerZeroInALaterTile) {
  using T = TypeParam;
  for (const bool negative : {false, true}) {
    const uint64_t s = negative ? sign<T> : 0;
    for (const Size weak : {Size{0}, Size{7}, tile<T>, 2 * tile<T> - 1}) {
      for (const Size strong : {weak + 1, 3 * tile<T>, 4 * tile<T> - 1, 4 * tile<T> + 4}) {
        auto x = tiles<T>(one<T> | s);
        x[weak] = from_bits<T>(s);
        expect_words_of_lift(both, x, "one zero");
        x[strong] = from_bits<T>(s ^ sign<T>);
        expect_words_of_lift(both, x,
                             "zeros at " + std::to_string(weak) + " and " + std::to_string(strong));
      }
    }
  }
}

TYPED_TEST(FloatExtremes, TakeNoNanOfEitherSignForAZero) {
  using T = TypeParam;
  for (const uint64_t s : {uint64_t{0}, sign<T>}) {
    auto x = tiles<T>(s);
    x[tile<T> + 3] = from_bits<T>(infinity<T> | 1);
    x[2 * tile<T> + 3] = from_bits<T>(infinity<T> | 1 | sign<T>);
    expect_words_of_lift(both, x, "NaNs among zeros");
  }
}

TYPED_TEST(FloatExtremes, FindTheFirstNanWhereverItIs) {
  using T = TypeParam;
  for (const Size at : {Size{0}, Size{1}, Size{63}, Size{64}, tile<T> - 1, tile<T>,
                        3 * tile<T> + 100, 4 * tile<T> + 3, 4 * tile<T> + 4}) {
    for (const uint64_t s : {uint64_t{0}, sign<T>}) {
      auto x = tiles<T>(one<T>);
      x[at] = from_bits<T>(infinity<T> | 1 | s);
      x[tile<T> / 2] = from_bits<T>(one<T> - 1);
      x[tile<T> / 2 + 1] = from_bits<T>(one<T> + 1);
      expect_words_of_lift(both, x, "NaN at " + std::to_string(at));
      x.back() = x[at];
      expect_words_of_lift(both, x, "NaN at " + std::to_string(at) + " and at the end");
    }
  }
}

TYPED_TEST(FloatExtremes, SkipAnyNumberOfNansAtTheBegin) {
  using T = TypeParam;
  std::vector<T> x(2 * tile<T> + 70, from_bits<T>(infinity<T> | 1));
  for (const Size first : {Size{1}, Size{15}, Size{64}, Size{65}, tile<T> - 1, tile<T> + 1,
                           2 * tile<T> + 60, 2 * tile<T> + 69, 2 * tile<T> + 70}) {
    auto y = x;
    for (Size i = first; i < y.size(); ++i) y[i] = from_bits<T>(one<T> + i % 5);
    expect_words_of_lift(both, y, std::to_string(first) + " NaNs");
  }
}

// Infinities that cancel look like a NaN to a sum.
TYPED_TEST(FloatExtremes, TellInfinitiesFromNan) {
  using T = TypeParam;
  auto x = tiles<T>(infinity<T>);
  expect_words_of_lift(both, x, "all +inf");
  for (Size i = 0; i < x.size(); i += 3) x[i] = from_bits<T>(infinity<T> | sign<T>);
  expect_words_of_lift(both, x, "both infinities");
  x[3 * tile<T> + 7] = from_bits<T>(infinity<T> | 1);
  expect_words_of_lift(both, x, "both infinities and a NaN");
  expect_words_of_lift(both, tiles<T>(infinity<T> | sign<T>), "all -inf");
}

template <class T>
class AnyExtremes : public testing::Test {};
using Numbers = testing::Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                               uint64_t, float16, bfloat16, float, double>;
TYPED_TEST_SUITE(AnyExtremes, Numbers);

// Values that are neighbours in the order, some steps from the middle of the values with one sign.
template <class T>
T step(int k) {
  const uint64_t middle = Floating<T> ? one<T> : uint64_t{1} << (8 * sizeof(T) - 2);
  return from_bits<T>(middle + static_cast<uint64_t>(k + 20));
}

TYPED_TEST(AnyExtremes, KeepTheFirstOfEqualsAcrossTilesAndRuns) {
  using T = TypeParam;
  for (const int k : {-2, 2}) {
    for (const Size at : {Size{0}, Size{5}, tile<T> - 1, tile<T>, 2 * tile<T> + 9}) {
      std::vector<T> x(4 * tile<T> + 5, step<T>(0));
      for (Size i = at; i < x.size(); i += tile<T> - 1) x[i] = step<T>(k);
      x.back() = step<T>(k);
      expect_words_of_lift(both, x, "first of several at " + std::to_string(at));
    }
  }
}

TYPED_TEST(AnyExtremes, FollowRisingAndFallingTiles) {
  using T = TypeParam;
  for (const int slope : {-1, 1}) {
    std::vector<T> x(9 * tile<T> + 5);
    for (Size i = 0; i < x.size(); ++i) {
      x[i] = step<T>(slope * static_cast<int>(i * 10 / tile<T>) / 5);
    }
    expect_words_of_lift(both, x, slope < 0 ? "falling" : "rising");
  }
}

// Once one extreme is the type's limit, the other is still searched for.
TYPED_TEST(AnyExtremes, GoOnForOneEndWhenTheOtherIsAtItsLimit) {
  using T = TypeParam;
  if constexpr (!Floating<T>) {
    using L = std::numeric_limits<T>;
    for (const T limit : {L::min(), L::max()}) {
      std::vector<T> x(4 * tile<T> + 5, step<T>(0));
      x[3] = limit;
      x[2 * tile<T>] = limit == L::min() ? step<T>(3) : step<T>(-3);
      x[3 * tile<T> + 1] = limit == L::min() ? L::max() : L::min();
      expect_words_of_lift(both, x, "limit first");
    }
  }
}

TYPED_TEST(AnyExtremes, AddToStatesOfAnyPart) {
  using T = TypeParam;
  std::vector<T> x(3 * tile<T>, step<T>(0));
  for (const Size i : {Size{10}, tile<T> + 10, 2 * tile<T> + 10}) {
    x[i] = step<T>(-1);
    x[i + 1] = step<T>(1);
  }
  std::vector<Run> runs;
  for (const Size i : {2 * tile<T>, Size{0}, tile<T>}) {
    runs.push_back({x.data() + i, nullptr, tile<T>, 1000 + i});
  }
  expect_words_of_lift(test::feeds_of(dtype_of<T>, both), {runs},
                       "the second run has the lowest indices", true);
}

TEST(BoolExtremes, AreTheFirstFalseAndTheFirstTrueByte) {
  for (const uint8_t truth : std::vector<uint8_t>{1, 2, 128, 255}) {
    for (const Size at : {Size{0}, Size{1}, Size{63}, Size{64}, Size{255}, Size{256}, Size{999},
                          Size{1000}, Size{4999}}) {
      for (const bool rare : {false, true}) {
        std::vector<Bool8> x(5000, Bool8{rare ? uint8_t{0} : truth});
        x[at].byte = rare ? truth : 0;
        expect_words_of_lift(both, x, "one at " + std::to_string(at));
      }
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
