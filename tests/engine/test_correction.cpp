// ddof is an exact rational: the value of a short decimal, or of a double that means one.
#include "onefold/core/correction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "onefold/error.hpp"
#include "onefold/fold.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

Correction parse(const char* text) { return Correction::parse(text, text + std::strlen(text)); }

bool refused(auto&& f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::bad_option);
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return true;
  }
  return false;
}

struct Spelling {
  const char* text;
  int64_t numerator, denominator;
};

TEST(Correction, IsTheRationalThatADecimalSpells) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  for (const Spelling& s : {Spelling{"0", 0, 1},
                            {"1", 1, 1},
                            {"+1", 1, 1},
                            {"-1", -1, 1},
                            {"007", 7, 1},
                            {"0.5", 5, 10},
                            {".5", 5, 10},
                            {"5.", 5, 1},
                            {"-0.25", -25, 100},
                            {"1.0", 1, 1},
                            {"1.50", 15, 10},
                            {"10e-1", 1, 1},
                            {"1e-9", 1, 1000000000},
                            {"1E-9", 1, 1000000000},
                            {"0.123456789", 123456789, 1000000000},
                            {"123456.789", 123456789, 1000},
                            {"0.000000001", 1, 1000000000},
                            {"0.0000000010", 1, 1000000000},
                            {"1000.000", 1000, 1},
                            {"1e3", 1000, 1},
                            {"1e+3", 1000, 1},
                            {"1e10", 10000000000, 1},
                            {"123456789e9", 123456789000000000, 1},
                            {"1e18", 1000000000000000000, 1},
                            {"0e99", 0, 1},
                            {"-0.0", 0, 1},
                            {"9223372036854775807", most, 1},
                            {"-9223372036854775808", -most - 1, 1},
                            {"0x1.8p+1", 3, 1},
                            {"-0x1p-2", -25, 100},
                            {"+0x1.4p0", 125, 100},
                            {"0x1FFFFFFFFFFFFFp-3", 0x1FFFFFFFFFFFFF, 8},
                            {"0x1.999999999999ap-4", 1, 10},
                            {"0x0p+0", 0, 1}}) {
    const Correction c = parse(s.text);
    EXPECT_EQ(c.numerator, s.numerator) << s.text;
    EXPECT_EQ(c.denominator, s.denominator) << s.text;
  }
}

TEST(Correction, RefusesWhatIsNoShortDecimal) {
  for (const char* text : {"",
                           " ",
                           "1 ",
                           " 1",
                           "+",
                           "-",
                           "+-1",
                           "--1",
                           "-+1",
                           ".",
                           "e",
                           "e5",
                           "1e",
                           "1e+",
                           "1e+-5",
                           "1e--5",
                           "1.5.5",
                           "0x10",
                           "0xp1",
                           "0x1p",
                           "0x-1p1",
                           "0x1.8P1",
                           "0x1p63",
                           "0x1.5555555555555p-2",
                           "0x1.00000000000001p0",
                           "0x1.00000000000000000p0",
                           "1,5",
                           "one",
                           "nan",
                           "inf",
                           "infinity",
                           "1e-10",
                           "0.0000000001",
                           "1.234567891",
                           "0.1234567891",
                           "123456789.5",
                           "1e19",
                           "9223372036854775808",
                           "1e99999999999999999999",
                           "1e-99999999999999999999",
                           "1_000",
                           "1f",
                           "0.1e-9",
                           "2/3"}) {
    EXPECT_TRUE(refused([&] { parse(text); })) << "\"" << text << "\"";
  }
}

TEST(Correction, OfADoubleIsItsShortestDecimal) {
  for (const char* text :
       {"0.1", "-0.1", "7.9", "0.3", "1e-9", "-0.123456789", "123456.789", "99999999.9"}) {
    EXPECT_EQ(Correction(std::stod(text)), parse(text)) << text;
  }
  // Also if the double itself is a multiple of 2^-29.
  constexpr double near = 8192.02489;
  static_assert(near * 0x1p29 == static_cast<double>(static_cast<int64_t>(near * 0x1p29)));
  EXPECT_EQ(Correction(near), parse("8192.02489"));
}

TEST(Correction, OfADoubleWithMoreDigitsIsItsExactValue) {
  EXPECT_EQ(Correction(0.5), parse("0.5"));
  EXPECT_EQ(Correction(0x1p-29).numerator, 1);
  EXPECT_EQ(Correction(0x1p-29).denominator, 1 << 29);
  EXPECT_EQ(Correction(-0x3p-28).numerator, -3);
  EXPECT_EQ(Correction(0x1p23 - 0x1p-29).numerator, (int64_t{1} << 52) - 1);
  EXPECT_EQ(Correction(0x1p53 - 1).numerator, (int64_t{1} << 53) - 1);
  EXPECT_EQ(Correction(-0x1.8p62).numerator, -(int64_t{3} << 61));
  EXPECT_EQ(Correction(1.5), parse("1.5"));
  EXPECT_EQ(Correction(-2.0), parse("-2"));
  EXPECT_EQ(Correction(1e15), parse("1e15"));
  EXPECT_EQ(Correction(123456789.0), parse("123456789"));
  EXPECT_EQ(Correction(-0.0), Correction(0));
  for (const double k :
       {0x1p63, -0x1p63, 1e300, HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN(),
        0.1 + 0.2, 1.0 / 3, 1.234567891, 0x1p-30, 1 + 0x1p-30, 1e-10, 1e-20, 5e-324, -5e-324}) {
    EXPECT_TRUE(refused([&] { Correction{k}; })) << k;
  }
}

TEST(Correction, IsEqualToAnotherOfTheSameValue) {
  EXPECT_EQ(parse("0.5"), parse("0.50"));
  EXPECT_EQ(parse("1.0"), Correction(1));
  EXPECT_EQ(parse("0.125"), Correction(0.125));
  EXPECT_FALSE(parse("0.5") == parse("-0.5"));
  EXPECT_FALSE(Correction(0x1p-28) == Correction(0x1p-29));
}

TEST(Correction, OfAnIntegerIsThatInteger) {
  EXPECT_EQ(Correction(3).numerator, 3);
  EXPECT_EQ(Correction(-3L).numerator, -3);
  EXPECT_EQ(Correction(std::size_t{3}).numerator, 3);
  EXPECT_EQ(Correction(SIZE_MAX).numerator, INT64_MAX);
  EXPECT_EQ(Correction(4000000000u).numerator, 4000000000);
  EXPECT_EQ(Correction().denominator, 1);
}

TEST(Correction, SetByHandIsGiven) {
  EXPECT_EQ(Correction().numerator_or(1), 1);
  EXPECT_EQ(Correction(0).numerator_or(1), 0);
  Correction half;
  half.denominator = 2;
  EXPECT_EQ(half.numerator_or(1), 0);
  Correction two;
  two.numerator = 2;
  EXPECT_EQ(two.numerator_or(1), 2);
}

// 257/256 lies half way between two bf16: the smallest ddof puts it above.
TEST(Correction, LeavesTiesByTheSmallestDdof) {
  const std::vector<double> x{15.0 / 16, -15.0 / 16, 17.0 / 16, -17.0 / 16};
  const auto var_for = [&](double k) {
    return fold("var", x, {.result = bf16, .ddof = k}).list[0][0].bits;
  };
  EXPECT_EQ(var_for(0), 0x3f80u);
  EXPECT_EQ(var_for(0x1p-29), 0x3f81u);
  EXPECT_EQ(var_for(-0x1p-29), 0x3f80u);
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
