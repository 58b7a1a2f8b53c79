// f16 and bf16 summed as integers, in cases that the laws of feeds miss because their arrays have
// only one kind of data.
#include <gtest/gtest.h>

#include <vector>

#include "feed_check.hpp"
#include "onefold/cpu/feed.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

// The number of elements after which sums are checked.
constexpr std::size_t tile = 2048;

// The bits of a number with this exponent field.
template <class T>
uint16_t number(int field, unsigned fraction, bool negative = false) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  return static_cast<uint16_t>(static_cast<unsigned>(negative) << 15 |
                               static_cast<unsigned>(field) << f.mantissa_bits | fraction);
}
template <class T>
constexpr unsigned ones = (1u << float_format(dtype_of<T>).mantissa_bits) - 1;

// Checks that every feed of the type gives the same words as lift.
template <class T>
void expect_words_of_lift(const std::vector<uint16_t>& x, const std::vector<uint16_t>& y) {
  const auto* px = reinterpret_cast<const std::byte*>(x.data());
  const auto* py = reinterpret_cast<const std::byte*>(y.data());
  for (const Target t : usable_targets()) {
    for (const Feed& f : feeds(t)) {
      if (f.dtype != dtype_of<T>) continue;
      test::States got(f.provides, f.dtype), expected(f.provides, f.dtype);
      test::reference(expected, px, py, x.size(), 0);
      test::Session s(f, got);
      s.run(px, f.provides.has(Accumulator::dot) ? py : nullptr, x.size(), 0);
      s.close();
      got.canonicalise();
      EXPECT_EQ(test::difference(got, expected), "") << name_of(t) << " " << f.name;
    }
  }
}

template <class T>
class FixedPoint : public testing::Test {
 protected:
  static constexpr int middle = 1 << (float_format(dtype_of<T>).exponent_bits - 1);
  // A tile after which the band of 15 exponents is [middle - 10, middle + 5).
  static std::vector<uint16_t> first_tile() {
    return std::vector<uint16_t>(tile, number<T>(middle, 1));
  }
};

using Halves = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(FixedPoint, Halves);

TYPED_TEST(FixedPoint, HoldsTilesOfTheLargestNumbersOfABandOfEitherSign) {
  for (const bool negative : {false, true}) {
    std::vector<uint16_t> x = this->first_tile();
    x.resize(40 * tile, number<TypeParam>(this->middle + 4, ones<TypeParam>, negative));
    expect_words_of_lift<TypeParam>(x, x);
    std::vector<uint16_t> y = x;
    for (std::size_t i = tile; i < y.size(); ++i) y[i] ^= 0x8000;
    expect_words_of_lift<TypeParam>(x, y);
  }
}

TYPED_TEST(FixedPoint, LeavesOutWhatLiesJustOutsideOfTheBand) {
  for (const int field : {this->middle - 11, this->middle - 10, this->middle + 4, this->middle + 5,
                          this->middle + 6, 0}) {
    for (const bool negative : {false, true}) {
      std::vector<uint16_t> x(4 * tile, number<TypeParam>(this->middle, 3, !negative));
      for (std::size_t i = tile; i < x.size(); i += 97) {
        x[i] = number<TypeParam>(field, ones<TypeParam>, negative);
      }
      expect_words_of_lift<TypeParam>(x, x);
    }
  }
}

TYPED_TEST(FixedPoint, FollowsDataFromBandToBandAndThroughTilesWithoutOne) {
  std::vector<uint16_t> x, y;
  unsigned bits = 1;
  for (int part = 0; part < 60; ++part) {
    const int field = 1 + part * 7 % (2 * this->middle - 3);
    for (std::size_t i = 0; i < tile + static_cast<std::size_t>(part); ++i) {
      bits = bits * 1664525 + 1013904223;
      const bool zero = part % 5 == 3, special = part % 11 == 7 && i % 50 == 0;
      const uint16_t v = number<TypeParam>(field, bits >> 20 & ones<TypeParam>, (bits & 256) != 0);
      x.push_back(special ? number<TypeParam>(2 * this->middle - 1, bits >> 31) : zero ? 0 : v);
      y.push_back(number<TypeParam>(this->middle, bits >> 16 & ones<TypeParam>, (bits & 512) != 0));
    }
  }
  expect_words_of_lift<TypeParam>(x, y);
  expect_words_of_lift<TypeParam>(y, x);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
