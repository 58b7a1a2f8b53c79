// The feeds of floating-point sums at the limits of their algorithms: full accumulators, windows,
// bins, and data that change from tile to tile. tests/law/test_feeds.cpp has the general laws.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "feed_check.hpp"
#include "generate.hpp"
#include "scaled.hpp"

namespace onefold::cpu_backend {
namespace ONEFOLD_FILE {

using test::Data;
using test::Random;

// Feeds of sums and absolute sums alone, in one run and in runs of odd sizes, compared with lift.
std::vector<test::Found> subjects(DType t) {
  return test::feeds_of(t, Accumulator::sum | Accumulator::sumabs, Accumulator::sumsq);
}

void expect_words_of_lift(const Data& x, const std::string& what) {
  const DType t = x.dtype();
  const auto cut = [&](Size n) { return test::runs_of(x.data(), nullptr, x.size(), n, t); };
  test::expect_words_of_lift(subjects(t), {cut(x.size()), cut(12345), cut(333)}, what);
}

struct Bits {
  FloatFormat format;
  explicit Bits(DType t) : format(float_format(t)) {}
  int fields() const { return (1 << format.exponent_bits) - 1; }  // the last is not finite
  uint64_t fraction() const { return (uint64_t{1} << format.mantissa_bits) - 1; }
  uint64_t sign() const { return uint64_t{1} << (format.mantissa_bits + format.exponent_bits); }
  uint64_t number(int field, uint64_t fraction) const {
    return static_cast<uint64_t>(field) << format.mantissa_bits | fraction;
  }
  uint64_t infinity() const { return number(fields(), 0); }
  int bias() const { return (1 << (format.exponent_bits - 1)) - 1; }
};

constexpr DType types[] = {DType::f64, DType::f32, DType::f16, DType::bf16};

Data fill(DType t, std::size_t n, const std::function<uint64_t(std::size_t)>& bits) {
  Data x(t, n);
  for (std::size_t i = 0; i < n; ++i) x.set(i, bits(i));
  return x;
}

// Accumulators, integer sums and their spills at their largest values: one sign, all fraction bits
// set. Feeds choose windows from the first elements; larger elements after them fill the windows.
TEST(SumFeeds, HoldsTilesOfTheLargestElements) {
  for (const DType t : types) {
    const Bits b(t);
    for (const int field : {0, b.bias() - 2, b.bias() + 4, b.bias() + 7, b.fields() - 1}) {
      for (const int first : {-4, -3, -2, -1, 0, 3}) {
        const uint64_t sign = first % 2 == 0 ? 0 : b.sign();
        const uint64_t largest = b.number(field, b.fraction()) | sign;
        const uint64_t other = b.number(std::clamp(field + first, 0, b.fields() - 1), 0) | sign;
        const Data x = fill(t, 300000, [&](std::size_t i) { return i < 32 ? other : largest; });
        expect_words_of_lift(x, "exponent " + std::to_string(field) + ", at first " +
                                    std::to_string(first) + " more");
      }
    }
  }
}

// Integer sums of windows at their largest values, with more elements than fit without a
// spill.
TEST(SumFeeds, SpillsIntegerSumsBeforeTheyOverflow) {
  for (const DType t : types) {
    const Bits b(t);
    const int field = t == DType::f16 ? b.bias() + 7 : b.bias() + 4;
    const uint64_t largest = b.number(field, b.fraction());
    const Data x =
        fill(t, 1300000, [&](std::size_t i) { return i < 32 ? b.number(field - 3, 0) : largest; });
    expect_words_of_lift(x, "a long run of one element");
  }
}

// Sums at their largest, with the lowest bit set: elements of one sign that fit no window, and odd
// elements far below.
TEST(SumFeeds, KeepsTheLeastBitOfFullSums) {
  for (const DType t : types) {
    const Bits b(t);
    const bool narrow = bytes_of(t) == 2;
    for (int field = b.bias() + (narrow ? -14 : 0); field <= b.bias() + (narrow ? 4 : 0); ++field) {
      for (int gap = 1; gap < std::min(field, narrow ? 40 : 135); ++gap) {
        const Data x = fill(t, 9000, [&](std::size_t i) {
          return i % 1000 == 999 ? b.number(field - gap, 1) : b.number(field, b.fraction());
        });
        expect_words_of_lift(
            x, "exponent " + std::to_string(field) + " and " + std::to_string(gap) + " less");
      }
    }
  }
}

// Elements one unit on both sides of the limits of windows, plain sums and anchors.
TEST(SumFeeds, FindsWhatDoesNotFitAWindow) {
  for (const DType t : types) {
    const Bits b(t);
    for (int span = 0; span < b.fields() - 1; span += span < 160 ? 1 : 37) {
      const int high = std::min(b.bias() + 40, b.fields() - 1), low = high - span;
      if (low < 0) break;
      Random r(static_cast<uint64_t>(span));
      const Data x = fill(t, 9000, [&](std::size_t i) {
        const bool odd = i % 1000 == 999;
        const uint64_t fraction = odd ? 1 : r() & b.fraction();
        return b.number(odd ? low : high - static_cast<int>(r() % 3), fraction) | (r() & b.sign());
      });
      expect_words_of_lift(x, "exponents " + std::to_string(span) + " apart");
    }
  }
}

// The remainder after the first window is exactly half its unit, always of the same sign.
TEST(SumFeeds, KeepsTiesOfAWindow) {
  for (const DType t : types) {
    const Bits b(t);
    for (int above = 1; above < std::min(64, b.bias()); ++above) {
      const Data x = fill(t, 20000, [&](std::size_t i) {
        return i % 4096 == 0 ? b.number(b.bias() + above, 0) : b.number(b.bias(), i & 1);
      });
      expect_words_of_lift(x, "powers of two " + std::to_string(above) + " apart");
    }
  }
}

// Bins at their largest values: one outlier in each tile keeps bins in use.
TEST(SumFeeds, HoldsFullBins) {
  for (const DType t : types) {
    const Bits b(t);
    for (const int field : {0, 1, b.fields() / 2, b.fields() - 1}) {
      const int far = field > b.fields() / 2 ? 0 : b.fields() - 1;
      const Data x = fill(t, 1300000, [&](std::size_t i) {
        return i % 500 == 77 ? b.number(far, 1) : b.number(field, b.fraction());
      });
      expect_words_of_lift(x, "outliers beside exponent " + std::to_string(field));
    }
  }
}

// Different kinds of data follow one another; each begins at any index of a tile.
TEST(SumFeeds, GoesFromOneKindOfDataToAnother) {
  for (const DType t : types) {
    const Bits b(t);
    for (uint64_t seed = 0; seed < test::scaled(40u); ++seed) {
      Random r(seed);
      const std::size_t n = 150000;
      int kind = 0, centre = 0;
      std::size_t left = 0;
      const Data x = fill(t, n, [&](std::size_t) {
        if (left-- == 0) {
          left = static_cast<std::size_t>(test::pick_log(r, 1, 60000));
          kind = static_cast<int>(r() % 10);
          centre = static_cast<int>(r() % static_cast<uint64_t>(b.fields()));
        }
        const uint64_t sign = r() & b.sign(), fraction = r() & b.fraction();
        const auto near = [&](int spread) {
          const int field = centre + static_cast<int>(r() % static_cast<uint64_t>(spread));
          return b.number(std::min(field, b.fields() - 1), fraction) | sign;
        };
        switch (kind) {
          case 0:
            return b.sign();  // -0
          case 1:
            return sign;
          case 2:
            return near(4);
          case 3:
            return near(20);
          case 4:
            return near(50);
          case 5:
            return near(110);
          case 6:
            return r() % 100 == 0 ? b.infinity() | sign : near(4);
          case 7:
            return r() % 1000 == 0 ? b.infinity() | 1 | sign : near(30);
          case 8:
            return fraction | sign;  // subnormal
          default:
            return fraction << (r() % 12) ^ r();  // any bits
        }
      });
      expect_words_of_lift(x, "seed " + std::to_string(seed));
    }
  }
}

// The tally's flag: one element, at any index, is neither NaN nor -0.
TEST(SumFeeds, SeesTheOnlyElementThatIsNotNegativeZero) {
  for (const DType t : types) {
    const Bits b(t);
    for (const uint64_t other : {b.sign(), uint64_t{0}, uint64_t{1}, b.number(b.bias(), 0),
                                 b.infinity(), b.infinity() | b.sign(), b.infinity() | 1}) {
      for (const std::size_t at : {0, 31, 4095, 4096, 9998, 9999}) {
        const Data x = fill(t, 10000, [&](std::size_t i) { return i == at ? other : b.sign(); });
        expect_words_of_lift(x, std::to_string(other) + " at " + std::to_string(at));
      }
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold::cpu_backend
