// The feeds of products at the borders between their cases: levels, anchors, the range of f64
// products, modes and tiles. tests/law/test_feeds.cpp tests everything else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "feed_check.hpp"
#include "scaled.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

template <class T>
T from_double(double x) {
  if constexpr (sizeof(T) == 2) {
    // Truncates to bf16, since only bits are tested.
    return T{static_cast<uint16_t>(bit_cast<uint32_t>(static_cast<float>(x)) >> 16)};
  } else {
    return static_cast<T>(x);
  }
}

// Checks that every feed of products gives what lift gives; dot multiplies x with y.
template <class T>
void expect_words_of_lift(const std::vector<T>& x, const std::vector<T>& y,
                          const std::string& what) {
  ASSERT_EQ(x.size(), y.size());
  const auto cut = [&](Size n) {
    return test::runs_of(x.data(), y.data(), x.size(), n, dtype_of<T>);
  };
  const std::vector<std::vector<test::Run>> cuts = {cut(std::max<Size>(x.size(), 1)), cut(1000)};
  for (const Accumulator a : {Accumulator::sumsq, Accumulator::dot}) {
    test::expect_words_of_lift(test::feeds_of(dtype_of<T>, a), cuts, what);
  }
}
template <class T>
void expect_words_of_lift(const std::vector<T>& x, const std::string& what) {
  std::vector<T> y(x.rbegin(), x.rend());
  expect_words_of_lift(x, y, what);
}

template <class T>
class Products : public testing::Test {};
using Types = testing::Types<double, float, bfloat16>;
TYPED_TEST_SUITE(Products, Types);

template <class T>
constexpr int top = float_format(dtype_of<T>).top;
template <class T>
constexpr int bottom = float_format(dtype_of<T>).unit;
template <class T>
constexpr int mantissa = float_format(dtype_of<T>).mantissa_bits;

// A number whose mantissa is all ones, with exponent e.
template <class T>
T longest(int e) {
  return from_double<T>(std::ldexp(2 - std::ldexp(1.0, -mantissa<T>), e));
}

// If all elements have the same sign, all levels reach their limits; 70 tiles of the largest size
// also reach the limit of the integer sums.
TYPED_TEST(Products, HoldAnyNumberOfTheLongestElements) {
  using T = TypeParam;
  for (const int e : {0, 1, top<T> / 2 - 1, top<T> - 1, -(top<T> / 2), bottom<T> + mantissa<T>}) {
    const std::vector<T> x(70 * 2048 + 13, longest<T>(e));
    expect_words_of_lift(x, "exponent " + std::to_string(e));
    std::vector<T> y(x);
    for (std::size_t i = 0; i < y.size(); i += 2) {
      if constexpr (sizeof(T) == 2) {
        y[i].bits ^= 0x8000;
      } else {
        y[i] = -y[i];
      }
    }
    expect_words_of_lift(y, "signs in turn, exponent " + std::to_string(e));
  }
}

// The remainder after each level is half a unit, always of the same sign.
TYPED_TEST(Products, HoldAnyNumberOfTies) {
  using T = TypeParam;
  std::vector<T> x(3 * 2048);
  for (int low = 15; low <= 30; ++low) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = from_double<T>(i % 64 == 0 ? 1.5 : std::ldexp(1.0, -low) * (i % 3 == 0 ? 1.25 : 1));
    }
    expect_words_of_lift(x, "2^-" + std::to_string(low));
  }
}

// One element lies far below the others, at any index: it takes two levels, three, or bins.
TYPED_TEST(Products, TakeEverySpanOfExponents) {
  using T = TypeParam;
  std::mt19937_64 r(11);
  for (int span = 5; span < 100; ++span) {
    std::vector<T> x(5000);
    for (T& v : x) v = longest<T>(static_cast<int>(r() % 3));
    for (const std::size_t at : {r() % x.size(), r() % x.size(), r() % x.size()}) {
      x[at] = longest<T>(2 - span);
    }
    expect_words_of_lift(x, "span " + std::to_string(span) + " seed 11");
    // Every element varies, so the mode stays the same.
    for (T& v : x) v = longest<T>(-static_cast<int>(r() % static_cast<unsigned>(span)));
    expect_words_of_lift(x, "spread over " + std::to_string(span) + " seed 11");
  }
}

// Tiles too wide for chains go to bins by exponent. All of the longest elements go to one bin, as
// often as it has room between two flushes, and more.
TYPED_TEST(Products, HoldAnyNumberOfTheLongestElementsInWideTiles) {
  using T = TypeParam;
  constexpr int least = bottom<T> + mantissa<T>;
  std::mt19937_64 r(13);
  for (const int e : {top<T> - 1, top<T> - 2, 32, 31, 0, -1, least, least + 31, least + 62}) {
    // These are near the longest ones, and their parts are odd, so none may be rounded.
    std::vector<T> x(40 * 2048 + 13);
    for (T& v : x)
      v = from_double<T>(std::ldexp(2 - std::ldexp(static_cast<double>(r() >> 12), -58), e));
    for (std::size_t i = 0; i < x.size(); i += 128) {
      x[i] = from_double<T>(std::ldexp(1.0, top<T> - 1));
      x[i + 1] = from_double<T>(std::ldexp(1.0, least));
    }
    for (std::size_t i = 100; i < x.size(); i += 4096) x[i] = bit_cast<T>(bits_of<T>{3});
    std::vector<T> y(x);
    expect_words_of_lift(x, y, "wide, seed 13, exponent " + std::to_string(e));
    for (std::size_t i = 0; i < y.size(); i += 3) {
      y[i] = bit_cast<T>(static_cast<bits_of<T>>(bit_cast<bits_of<T>>(y[i]) ^
                                                 (bits_of<T>{1} << (8 * sizeof(T) - 1))));
    }
    expect_words_of_lift(y, x, "wide, signs mixed, seed 13, exponent " + std::to_string(e));
  }
}

// Subnormals have no hidden bit, and the weight of exponent 1. They stand at any index of a vector,
// among large numbers and among subnormals.
TYPED_TEST(Products, TakeSubnormalsInWideTiles) {
  using T = TypeParam;
  std::mt19937_64 r(12);
  for (const unsigned every : {1u, 2u, 7u, 8u, 64u}) {
    std::vector<T> x(5000), y(x.size());
    for (auto* v : {&x, &y}) {
      for (T& e : *v) {
        do e = bit_cast<T>(static_cast<bits_of<T>>(r()));
        while (!decode(e).finite());
        if (r() % every == 0) {
          const auto fraction = static_cast<bits_of<T>>(r() >> (64 - mantissa<T>));
          e = bit_cast<T>(static_cast<bits_of<T>>(fraction >> (r() % mantissa<T>)));
        }
      }
    }
    expect_words_of_lift(x, y, "one in " + std::to_string(every) + ", seed 12");
  }
}

// Squares may exceed the anchor as long as their sum does not: in one lane, or spread over lanes.
TYPED_TEST(Products, TakeRareElementsAboveTheAnchor) {
  using T = TypeParam;
  for (int above = 0; above < 8; ++above) {
    for (const std::size_t every : {1, 2, 8, 32, 64, 128, 512, 600}) {
      std::vector<T> x(4 * 2048, longest<T>(-1));
      for (std::size_t i = 2048; i < x.size(); ++i) {
        x[i] = longest<T>(i % every == 0 ? above : -3 - static_cast<int>(i % 11));
      }
      expect_words_of_lift(x, "2^" + std::to_string(above) + " in one of " + std::to_string(every));
    }
  }
}

// Anchors and modes change from tile to tile, separately for x and y.
TYPED_TEST(Products, FollowDataThatChange) {
  using T = TypeParam;
  for (uint64_t seed = 0; seed < test::scaled(30u); ++seed) {
    std::mt19937_64 r(seed);
    std::vector<T> x(40000), y(x.size());
    for (auto* v : {&x, &y}) {
      for (std::size_t i = 0; i < v->size();) {
        const std::size_t end = std::min(v->size(), i + 1 + r() % 6000);
        const int exponent = bottom<T> + static_cast<int>(r() % unsigned(top<T> - bottom<T>));
        const unsigned span = 1 + static_cast<unsigned>(r() % (r() % 2 == 0 ? 30 : 200));
        const bool zeros = r() % 3 == 0;
        for (; i < end; ++i) {
          const int e = std::max(bottom<T>, exponent - static_cast<int>(r() % span));
          const double m = 1 + std::ldexp(static_cast<double>(r() >> 12), -52);
          (*v)[i] =
              from_double<T>(zeros && r() % 8 == 0 ? 0.0 : std::ldexp(r() % 2 == 0 ? m : -m, e));
        }
      }
    }
    expect_words_of_lift(x, y, "seed " + std::to_string(seed));
  }
}

// f64 products p and errors e that overflow or underflow, and those at the borders of the scaled
// classes.
TEST(ProductsOfF64, HaveNoBorderAtUnderflowOrOverflow) {
  const double largest = std::numeric_limits<double>::max();
  std::vector<double> hard;
  for (const int e :
       {-1074, -1073, -1023, -1022, -1021, -970, -969, -968, -600, -538, -537, -536, -512,
        -511,  -510,  -481,  -480,  -479,  -442, -441, -440, -1,   0,    1,    479,  480,
        481,   485,   486,   507,   508,   509,  510,  511,  512,  513,  600,  1022, 1023}) {
    for (const double m : {1.0, 1 + 0x1p-52, 2 - 0x1p-52, 1.5}) {
      hard.push_back(std::ldexp(m, e));
      hard.push_back(-std::ldexp(m, e));
    }
  }
  hard.push_back(largest);
  hard.push_back(0.0);
  hard.push_back(-0.0);
  // Each product alone, then every pair of them.
  for (const double v : hard) {
    std::vector<double> x(70, v), y(70);
    for (std::size_t i = 0; i < 70; ++i) y[i] = hard[(i * 37) % hard.size()];
    expect_words_of_lift(x, y, std::to_string(v));
  }
  for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
    std::mt19937_64 r(seed);
    std::vector<double> x(3000), y(3000);
    const std::size_t few = 1 + r() % hard.size();
    for (auto* v : {&x, &y}) {
      for (double& e : *v) e = hard[(r() % few * 131) % hard.size()];
    }
    expect_words_of_lift(x, y, "hard values, seed " + std::to_string(seed));
  }
}

// A subnormal has few bits, so p is not a multiple of the unit that normal numbers' products have.
TEST(ProductsOfF64, OfSubnormalsWithLargeNumbersAreWhole) {
  std::mt19937_64 r(5);
  std::vector<double> x(4096), y(4096);
  for (double& v : x) v = std::ldexp(static_cast<double>(r() % 1000), -1074);
  for (double& v : y) v = std::ldexp(1 + std::ldexp(static_cast<double>(r() >> 12), -52), 900);
  expect_words_of_lift(x, y, "seed 5");
  expect_words_of_lift(y, x, "seed 5, turned round");
}

// Five levels need a higher top than two: anchors must not go below it and keep five levels.
TEST(ProductsOfF64, LoseNothingWhereTheLastLevelWouldUnderflow) {
  for (int top = -890; top <= -780; top += 2) {
    std::mt19937_64 r(3);
    // First products of wide tiles, which need five levels; then a few narrow ones far below, which
    // move the anchors; then wide ones below those, whose last bits no level can hold.
    const auto exponent = [&](std::size_t i) {
      if (i < 8000) return (top + 230) / 2 - static_cast<int>(r() % 80);
      if (i < 11000) return top / 2 - static_cast<int>(r() % 5);
      return top / 2 - static_cast<int>(r() % 85);
    };
    std::vector<double> x(20000), y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = std::ldexp(1 + std::ldexp(static_cast<double>(r() >> 12), -52), exponent(i));
      y[i] = std::ldexp(1 + std::ldexp(static_cast<double>(r() >> 12), -52), exponent(i));
    }
    expect_words_of_lift(x, y, "top " + std::to_string(top) + " seed 3");
  }
}

template <class T>
class Describe : public testing::Test {};
using Wide = testing::Types<double, float>;
TYPED_TEST_SUITE(Describe, Wide);

// The extreme stands at, before and after the border of tiles of every size, among equal elements.
TYPED_TEST(Describe, FindsTheFirstExtremeAtBordersOfTiles) {
  using T = TypeParam;
  for (const std::size_t border : {64, 128, 256, 512, 1024, 2048, 4096}) {
    for (std::size_t at = border - 1; at <= border + 1; ++at) {
      std::vector<T> x(3 * border + 5, T{2});
      x[at] = x[at + border] = -3;
      x[at + 1] = x[at + 1 + border] = 7;
      expect_words_of_lift(x, "extremes at " + std::to_string(at));
      x.assign(3 * border + 5, T{0});
      x[at] = x[at + border] = T{-0.0};
      expect_words_of_lift(x, "-0 among +0 at " + std::to_string(at));
      x.assign(3 * border + 5, T{-0.0});
      x[at] = x[at + border] = T{0};
      expect_words_of_lift(x, "+0 among -0 at " + std::to_string(at));
      x[at + 1] = std::numeric_limits<T>::denorm_min();
      x[at + 2] = -std::numeric_limits<T>::denorm_min();
      expect_words_of_lift(x, "smallest at " + std::to_string(at));
      x.assign(3 * border + 5, T{1});
      x[at] = x[at + border] = std::numeric_limits<T>::quiet_NaN();
      expect_words_of_lift(x, "NaN at " + std::to_string(at));
      x[at + 2] = -std::numeric_limits<T>::infinity();
      x[at + 3] = std::numeric_limits<T>::infinity();
      expect_words_of_lift(x, "infinities behind " + std::to_string(at));
    }
  }
}

TYPED_TEST(Describe, FindsExtremesOfInfinitiesNanAndZeros) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T values[] = {inf, -inf, nan, -nan, T{0}, T{-0.0}, T{1}, T{-1}};
  for (uint64_t seed = 0; seed < test::scaled(100u); ++seed) {
    std::mt19937_64 r(seed);
    const unsigned set = static_cast<unsigned>(r() % 255) + 1;
    std::vector<T> choice;
    for (unsigned k = 0; k < 8; ++k) {
      if ((set >> k & 1) != 0) choice.push_back(values[k]);
    }
    std::vector<T> x(r() % 5000);
    for (T& v : x) v = choice[r() % choice.size()];
    expect_words_of_lift(x, "seed " + std::to_string(seed));
  }
}

// Every tile has a new best element.
TYPED_TEST(Describe, FindsExtremesOfSlopes) {
  using T = TypeParam;
  std::vector<T> x(20000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i) - 7000;
  expect_words_of_lift(x, "rising");
  std::reverse(x.begin(), x.end());
  expect_words_of_lift(x, "falling");
}

TEST(ChooseFeeds, TakesOneLoopForVarianceAndForDescribe) {
  using enum Accumulator;
  for (const Target t : usable_targets()) {
    if (t != Target::avx3 && t != Target::avx2) continue;
    for (const DType d : {DType::f32, DType::f64}) {
      EXPECT_EQ(choose_feeds(t, d, sum | sumsq | tally).size(), 1u);
      EXPECT_EQ(choose_feeds(t, d, sumsq | tally).size(), 1u);
      EXPECT_EQ(choose_feeds(t, d, sum | sumsq | sumabs | tally | least | greatest | zeros).size(),
                1u);
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
