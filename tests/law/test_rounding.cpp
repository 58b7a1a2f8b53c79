// Rounding, where other exact code has failed: every f16 and bf16 number with its midpoints and
// their neighbours, and the borders of every type.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "check.hpp"
#include "onefold/onefold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

const oracle::Type& type_of(DType t) { return oracle::type(name_of(t)); }

// Rows of equal length, each folded to one answer and compared with the oracle.
class Rows {
 public:
  Rows(DType t, std::size_t width) : dtype_(t), width_(width) {}
  void add(std::initializer_list<uint64_t> bits) {
    for (const uint64_t b : bits) bits_.push_back(b);
  }
  std::string check(std::string_view ops, std::optional<DType> result = {}) const {
    test::Data x(dtype_, bits_.size());
    for (std::size_t i = 0; i < bits_.size(); ++i) x.set(i, bits_[i]);
    const std::size_t rows = bits_.size() / width_;
    Options options{.axes = {1}};
    options.result = result;
    const Answers got =
        fold(ops, {x.data(), dtype_, {static_cast<int64_t>(rows), static_cast<int64_t>(width_)}},
             options);
    for (std::size_t i = 0; i < rows; ++i) {
      const oracle::Fold expected(type_of(dtype_), x.at(i * width_), width_);
      const std::string wrong = test::compare(got, i, expected, options);
      if (wrong.empty()) continue;
      std::string row = "row";
      for (std::size_t k = 0; k < width_; ++k) {
        row += " " + text({x.bits(i * width_ + k)}, type_of(dtype_));
      }
      return row + wrong;
    }
    return rows == 0 ? "no rows" : "";
  }

 private:
  DType dtype_;
  std::size_t width_;
  std::vector<uint64_t> bits_;
};

// The finite numbers of a type of two bytes, upwards from +0, and their signs flipped.
uint64_t infinity_of(DType t) {
  return ((uint64_t{1} << type_of(t).exponent) - 1) << type_of(t).fraction;
}
uint64_t sign_of(DType t) { return uint64_t{1} << (8 * bytes_of(t) - 1); }

double value_of(DType t, uint64_t bits) {
  const oracle::Element e = oracle::decode(type_of(t), bits);
  const double v = std::ldexp(static_cast<double>(e.magnitude), e.shift + type_of(t).unit());
  return e.negative ? -v : v;
}
// The number after the largest one, if exponents continued.
double value_after(DType t, uint64_t bits) {
  if (bits + 1 < infinity_of(t)) return value_of(t, bits + 1);
  return 2 * value_of(t, bits) - value_of(t, bits - 1);
}

class HalfType : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, HalfType, testing::Values(f16, bf16),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(HalfType, EveryBitPatternAloneIsItself) {
  Rows rows(GetParam(), 1);
  for (uint64_t b = 0; b < 0x10000; ++b) rows.add({b});
  EXPECT_EQ(rows.check("sum,mean,min,max,norm1,norm2,norminf,rms,var,ptp,sumsq,argmax,count_zero"),
            "");
  for (const DType result : {f16, bf16, f32, f64}) {
    EXPECT_EQ(rows.check("sum,norm2,sumsq,min", result), "") << name_of(result);
  }
}

// The mean of two neighbours is a tie; half of the smallest number more or less is not.
TEST_P(HalfType, MeansOfNeighboursAreTiesToEven) {
  Rows pairs(GetParam(), 2), fours(GetParam(), 4);
  const uint64_t sign = sign_of(GetParam());
  for (uint64_t b = 0; b + 1 < infinity_of(GetParam()); ++b) {
    for (const uint64_t s : {uint64_t{0}, sign}) {
      pairs.add({b | s, (b + 1) | s});
      fours.add({b | s, (b + 1) | s, 1, 0});
      fours.add({b | s, (b + 1) | s, 1 | sign, 0});
    }
  }
  EXPECT_EQ(pairs.check("mean,sum,ptp,var,std"), "");
  EXPECT_EQ(fours.check("mean,sum,ptp,rms"), "");
}

// From f64 to the small type: each number, each middle, and what lies just beside them; the answer
// must not be rounded to f64 or f32 on the way.
TEST_P(HalfType, MiddlesAndTheirNeighboursRoundOnce) {
  const DType t = GetParam();
  Rows rows(f64, 2);
  for (uint64_t b = 0; b < infinity_of(t); ++b) {
    const double low = value_of(t, b), middle = (low + value_after(t, b)) / 2;
    for (const double tiny : {0.0, 0x1p-1074, -0x1p-1074, std::ldexp(low, -60)}) {
      for (const double v : {middle, -middle}) {
        rows.add({std::bit_cast<uint64_t>(v), std::bit_cast<uint64_t>(tiny)});
      }
    }
  }
  EXPECT_EQ(rows.check("sum,norm1", t), "");
}

// The same for square roots: sqrt(v^2 + tiny^2), and for the variance of v and -v.
TEST_P(HalfType, SquareRootsOfMiddlesRoundOnce) {
  const DType t = GetParam();
  Rows roots(f64, 2), spreads(f64, 2);
  for (uint64_t b = 0; b < infinity_of(t); ++b) {
    const double low = value_of(t, b), middle = (low + value_after(t, b)) / 2;
    for (const double tiny : {0.0, 0x1p-1074, std::ldexp(low, -70)}) {
      roots.add({std::bit_cast<uint64_t>(middle), std::bit_cast<uint64_t>(tiny)});
    }
    spreads.add({std::bit_cast<uint64_t>(middle), std::bit_cast<uint64_t>(-middle)});
    spreads.add(
        {std::bit_cast<uint64_t>(std::nextafter(middle, 0)), std::bit_cast<uint64_t>(-middle)});
  }
  EXPECT_EQ(roots.check("norm2", t), "");
  EXPECT_EQ(spreads.check("std", t), "");
}

// Borders of the wide types: largest, smallest, subnormal, powers of two, each with half a unit in
// the last place more or less, and something tiny to break the tie; then negated.
class WideType : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, WideType, testing::Values(f16, bf16, f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

std::vector<uint64_t> borders(DType t) {
  const oracle::Type& o = type_of(t);
  const uint64_t infinity = infinity_of(t), one = uint64_t{1} << o.fraction;
  std::vector<uint64_t> list{1, 2, 3, infinity - 1, infinity - 2};
  for (uint64_t e = 1; e < infinity >> o.fraction;
       e += e < 4 || e + 60 > infinity >> o.fraction ? 1 : 37) {
    for (const uint64_t b : {e * one - 1, e * one, e * one + 1, e * one + one / 2}) {
      if (b < infinity) list.push_back(b);
    }
  }
  return list;
}

// Half a unit in the last place of b, as bits, or 0 if the type has no such number.
uint64_t half_unit(DType t, uint64_t b) {
  const oracle::Type& o = type_of(t);
  const uint64_t e = b >> o.fraction;
  const auto f = static_cast<uint64_t>(o.fraction);
  if (e > f + 1) return (e - f - 1) << o.fraction;
  return e >= 2 ? uint64_t{1} << (e - 2) : 0;
}

TEST_P(WideType, SumsBesideBordersRoundOnce) {
  const DType t = GetParam();
  const uint64_t sign = sign_of(t);
  Rows rows(t, 3), fours(t, 4);
  for (const uint64_t b : borders(t)) {
    const uint64_t half = half_unit(t, b);
    for (const uint64_t s : {uint64_t{0}, sign}) {
      for (const uint64_t other : {s, s ^ sign}) {
        rows.add({b | s, half | other, 0});
        rows.add({b | s, half | other, 1});
        rows.add({b | s, half | other, 1 | sign});
        fours.add({b | s, b | s, half | other, 1 | other});
        fours.add({b | s, (infinity_of(t) - 1) | other, (infinity_of(t) - 1) | s, half | other});
      }
    }
  }
  EXPECT_EQ(rows.check("sum,mean,var,std,norm1,norm2,rms,sumsq,ptp"), "");
  EXPECT_EQ(fours.check("sum,mean,var,std,norm1,norm2,rms,sumsq,ptp"), "");
  for (const DType result : {f16, bf16, f32, f64}) {
    EXPECT_EQ(rows.check("sum,mean,norm2,min,max,norminf,sumsq,var", result), "")
        << name_of(result);
  }
}

// Powers of two up to the last, whose squares and roots have other borders.
TEST_P(WideType, SquaresAndRootsOfEveryBinadeRoundOnce) {
  const DType t = GetParam();
  const oracle::Type& o = type_of(t);
  Rows rows(t, 2);
  test::Random r(5);
  for (uint64_t e = 0; e < infinity_of(t) >> o.fraction; ++e) {
    for (const uint64_t f : {uint64_t{0}, uint64_t{1}, (uint64_t{1} << o.fraction) - 1, r()}) {
      const uint64_t b = e << o.fraction | (f & ((uint64_t{1} << o.fraction) - 1));
      rows.add({b, 0});
      rows.add({b, b});
      rows.add({b, b > 0 ? b - 1 : 0});
      rows.add({b, 1 | sign_of(t)});
    }
  }
  EXPECT_EQ(rows.check("sumsq,norm2,rms,var,std,mean,sum"), "");
}

TEST(Rounding, SumOfLargestAndHalfAUnitIsInfinite) {
  const double largest = 0x1.fffffffffffffp1023, half = 0x1p970;
  EXPECT_EQ(sum(std::vector{largest, half}), HUGE_VAL);
  EXPECT_EQ(sum(std::vector{largest, half, -0x1p-1074}), largest);
  EXPECT_EQ(sum(std::vector{-largest, -half}), -HUGE_VAL);
}

TEST(Rounding, IntermediateOverflowDoesNotExist) {
  EXPECT_EQ(sum(std::vector{1e308, 1e308, -1e308}), 1e308);
  EXPECT_EQ(norm2(std::vector{3e300, 4e300}), 5e300);
  EXPECT_EQ(norm2(std::vector{3e-320, 4e-320}), 5e-320);
  EXPECT_EQ(rms(std::vector{1e308, 1e308}), 1e308);
  EXPECT_EQ(mean(std::vector{0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023}),
            0x1.fffffffffffffp1023);
  EXPECT_EQ(mean(std::vector{0x1p-1074, 0x1p-1074}), 0x1p-1074);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
