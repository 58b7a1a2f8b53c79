// Rationals and square roots of any size, at and next to every tie, round as GMP rounds them.
#include "onefold/core/exact/real.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "generate.hpp"
#include "onefold/core/op_facts.hpp"
#include "oracle/number.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::Random;

std::vector<uint32_t> digits(const mpz_class& v) {
  std::vector<uint32_t> d;
  for (mpz_class rest = v; rest != 0; rest >>= 32) {
    d.push_back(static_cast<uint32_t>(mpz_class(rest & 0xffffffffu).get_ui()));
  }
  return d;
}
Leading leading(const mpz_class& v, int exponent) {
  const std::vector<uint32_t> d = digits(v);
  if (d.empty()) return Leading();
  std::size_t low = 0;
  while (d[low] == 0) ++low;
  return leading_digits([&](int k) { return d[static_cast<std::size_t>(k)]; },
                        static_cast<int>(low), static_cast<int>(d.size()) - 1, exponent);
}
Uint128 word(const mpz_class& v) {
  const mpz_class high = v >> 64, low = v & ((mpz_class(1) << 64) - 1);
  return static_cast<Uint128>(high.get_ui()) << 64 | low.get_ui();
}
mpz_class mpz(const Leading& v) {
  mpz_class r = 0;
  for (const uint32_t d : v.digit) r = (r << 32) + d;
  return r;
}

// A random number of `bits` bits, sometimes with long runs of zeros and ones.
mpz_class number(Random& r, int bits) {
  mpz_class v = 0;
  for (int k = 0; k < bits; k += 32) {
    const uint64_t kind = r() % 4;
    v = (v << 32) + (kind == 0 ? 0 : kind == 1 ? 0xffffffffu : static_cast<uint32_t>(r()));
  }
  v &= (mpz_class(1) << bits) - 1;
  mpz_setbit(v.get_mpz_t(), static_cast<mp_bitcnt_t>(bits - 1));
  return v;
}

// A divisor, which is a product of two numbers.
struct Divisor {
  mpz_class n, left;
  mpz_class product() const { return n * left; }
};

std::string check(const mpz_class& top, const Divisor& divisor, int exponent, bool root,
                  bool negative, DType t) {
  const mpz_class bottom = divisor.product();
  Real got;
  got.numerator = leading(top, exponent);
  got.n = word(divisor.n);
  got.left = word(divisor.left);
  got.root = root;
  got.negative = negative;
  oracle::Exact exact{.number = mpq_class(top, bottom), .exponent = exponent, .root = root};
  exact.number.canonicalize();
  if (negative) exact.number = -exact.number;
  if (root) exact.number = abs(exact.number);
  if (top == 0) exact.negative_zero = negative;
  const oracle::Type& type = oracle::type(name_of(t));
  const oracle::Value expected = oracle::round(exact, type);
  const Rounded r = round(got, t);
  if (r.bits == expected.bits && name_of(r.status) == expected.status) return "";
  return oracle::text({r.bits, name_of(r.status)}, type) + ", should be " +
         oracle::text(expected, type) + " for " + top.get_str(16) + " / " + bottom.get_str(16) +
         " * 2^" + std::to_string(exponent) + (root ? " under a root" : "");
}

TEST(FloatFormats, AreThoseOfTheTypes) {
  const auto parts = [](DType t) {
    const FloatFormat f = float_format(t);
    return std::array{f.mantissa_bits, f.exponent_bits, f.unit, f.top};
  };
  EXPECT_EQ(parts(f16), (std::array{10, 5, -24, 16}));
  EXPECT_EQ(parts(bf16), (std::array{7, 8, -133, 128}));
  EXPECT_EQ(parts(f32), (std::array{23, 8, -149, 128}));
  EXPECT_EQ(parts(f64), (std::array{52, 11, -1074, 1024}));
#define ONEFOLD_DTYPE(name, spelling, type, kind, bytes) \
  EXPECT_EQ(kind_of(DType::name), Kind::kind);           \
  EXPECT_EQ(bytes_of(DType::name), sizeof(type));
#include "onefold/core/dtype.def"
#undef ONEFOLD_DTYPE
}

class RealRounding : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, RealRounding, testing::Values(f16, bf16, f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// One factor is often 1; n has up to 64 bits, the other factor up to 95.
Divisor some_divisor(Random& r) {
  Divisor d{1, 1};
  if (r() % 4 != 0) d.n = number(r, 1 + static_cast<int>(test::pick_log(r, 0, 63)));
  if (r() % 2 != 0) d.left = number(r, 1 + static_cast<int>(test::pick_log(r, 0, 95)));
  return d;
}
int bits_of(const mpz_class& v) { return static_cast<int>(mpz_sizeinbase(v.get_mpz_t(), 2)); }

// Exponents for which results range from 0 to infinity.
int some_exponent(Random& r, DType t, int bits) {
  const FloatFormat f = float_format(t);
  const int low = f.unit - 4, high = f.top + 4;
  return low + static_cast<int>(r() % static_cast<uint64_t>(high - low)) - bits;
}

// Rounding steps that a number does not need may be left out.
TEST_P(RealRounding, NeedsOnlyTheStepsOfTheNumber) {
  Random r(11);
  constexpr RoundingSteps none{
      .quotient = false, .second_quotient = false, .root = false, .integers = false};
  constexpr RoundingSteps one{.second_quotient = false, .root = false, .integers = false};
  constexpr RoundingSteps root{.quotient = false, .second_quotient = false, .integers = false};
  for (int k = 0; k < 3000; ++k) {
    Real x;
    const mpz_class top = number(r, 1 + static_cast<int>(r() % 310));
    x.numerator = leading(top, some_exponent(r, GetParam(), bits_of(top)));
    ASSERT_EQ(round<Taking<none>>(x, GetParam()).bits, round(x, GetParam()).bits);
    x.root = true;
    ASSERT_EQ(round<Taking<root>>(x, GetParam()).bits, round(x, GetParam()).bits);
    x.root = false;
    x.n = word(number(r, 1 + static_cast<int>(r() % 63)));
    ASSERT_EQ(round<Taking<one>>(x, GetParam()).bits, round(x, GetParam()).bits);
  }
}

TEST_P(RealRounding, OfRandomRationals) {
  Random r(1);
  for (int k = 0; k < 30000; ++k) {
    const int a = 1 + static_cast<int>(test::pick_log(r, 0, 2500));
    const mpz_class top = number(r, a);
    const Divisor bottom = some_divisor(r);
    const int b = bits_of(bottom.product());
    ASSERT_EQ(
        check(top, bottom, some_exponent(r, GetParam(), a - b), false, k % 2 == 0, GetParam()), "");
    ASSERT_EQ(
        check(top, bottom, 2 * some_exponent(r, GetParam(), 0) - (a - b), true, false, GetParam()),
        "");
  }
}

// A device keeps 192 bits of a sum, which is enough for a quotient and for the root of a quotient.
TEST_P(RealRounding, NeedsNoMoreThan192BitsOfOneDivision) {
  Random r(7);
  for (int k = 0; k < 30000; ++k) {
    const mpz_class square = number(r, 1 + static_cast<int>(r() % 60));
    const mpz_class divisor = number(r, 1 + static_cast<int>(r() % 40));
    // Tests values near squares, ties and random ones.
    const mpz_class top =
        k % 2 == 0 ? mpz_class(number(r, 1 + static_cast<int>(r() % 310)))
                   : mpz_class((square * square * divisor << (2 * (r() % 90))) + 2 - (r() % 5));
    if (top <= 0) continue;
    Real whole;
    whole.numerator = leading(top, -static_cast<int>(r() % 300));
    whole.n = word(divisor);
    whole.root = r() % 2 == 0;
    Real cut = whole;
    for (int j = 6; j < Leading::size; ++j) {
      cut.numerator.sticky = cut.numerator.sticky || cut.numerator.digit[j] != 0;
      cut.numerator.digit[j] = 0;
    }
    ASSERT_EQ(round(cut, GetParam()).bits, round(whole, GetParam()).bits)
        << top.get_str(16) << " / " << divisor.get_str(16) << (whole.root ? " under a root" : "");
  }
}

// The number is (2 m + 1) / 2 units in the last place, times a denominator; and one more or less.
TEST_P(RealRounding, OfTiesAndTheirNeighbours) {
  Random r(2);
  const int digits = float_format(GetParam()).mantissa_bits + 1;
  for (int k = 0; k < 30000; ++k) {
    const int kept = r() % 3 == 0 ? 1 + static_cast<int>(r() % static_cast<uint64_t>(digits))
                                  : digits;  // fewer digits if the result is subnormal
    const mpz_class middle = 2 * number(r, kept) + 1;
    const Divisor divisor = some_divisor(r);
    const mpz_class bottom = divisor.product();
    const auto shift = static_cast<int>(test::pick_log(r, 0, 600));
    const int bits = kept + 1 + shift;
    const int exponent = kept < digits ? float_format(GetParam()).unit - 1 - shift
                                       : some_exponent(r, GetParam(), bits);
    const mpz_class square = middle * middle * bottom << (2 * shift);
    for (const int off : {-1, 0, 1}) {
      const mpz_class top = (middle * bottom << shift) + off;
      ASSERT_EQ(check(top, divisor, exponent, false, off == 0, GetParam()), "");
      ASSERT_EQ(check(square + off, divisor, 2 * exponent, true, false, GetParam()), "");
    }
  }
}

TEST_P(RealRounding, OfTheBordersOfTheType) {
  const FloatFormat f = float_format(GetParam());
  for (const int power :
       {f.unit - 2, f.unit - 1, f.unit, f.unit + f.mantissa_bits, f.top - 1, f.top, f.top + 1}) {
    for (const int extra : {0, 1, 100, 1000}) {
      for (const int off : {-1, 0, 1}) {
        const mpz_class top = (mpz_class(1) << extra) + off;
        ASSERT_EQ(check(top, {1, 1}, power - extra, false, true, GetParam()), "");
        ASSERT_EQ(check((mpz_class(1) << 2 * extra) + off, {1, 1}, 2 * (power - extra), true, false,
                        GetParam()),
                  "");
      }
    }
  }
  // Half a unit in the last place below the power that overflows: a tie that becomes infinite.
  const mpz_class largest = (mpz_class(1) << (f.mantissa_bits + 2)) - 1;
  for (const int off : {-1, 0, 1}) {
    EXPECT_EQ(check((largest << 900) + off, {1, 1}, f.top - f.mantissa_bits - 2 - 900, false, false,
                    GetParam()),
              "");
  }
}

TEST(Leading, DividesToTheFloor) {
  Random r(3);
  for (int k = 0; k < 50000; ++k) {
    const mpz_class a = number(r, 1 + static_cast<int>(test::pick_log(r, 0, 2200)));
    const mpz_class d = number(r, 1 + static_cast<int>(test::pick_log(r, 0, 95)));
    const Leading top = leading(a, 0);
    ASSERT_TRUE(mpz(top) ==
                (top.exponent < 0 ? mpz_class(a << -top.exponent) : mpz_class(a >> top.exponent)));
    ASSERT_EQ(top.sticky, top.exponent > 0 && (mpz(top) << top.exponent) != a);
    const auto digits = 1 + static_cast<int>(r() % 7);
    const Leading q = divide(top, word(d), digits);
    // The digits above the cut are the floor; below it only counts whether any bit is set.
    const int cut = Leading::bits - (digits == 3 ? 64 : 32 * digits);
    mpz_class over = a, under = d;
    const int e = q.exponent + cut;
    (e > 0 ? under : over) <<= std::abs(e);
    ASSERT_TRUE(mpz(q) >> cut == over / under) << a.get_str(16) << " / " << d.get_str(16);
    const mpz_class below = mpz(q) & ((mpz_class(1) << cut) - 1);
    ASSERT_EQ(q.sticky || below != 0, over % under != 0);
  }
}

TEST(Leading, AddsSubtractsAndComparesMantissas) {
  Random r(5);
  for (int k = 0; k < 50000; ++k) {
    const int gap = static_cast<int>(test::pick_log(r, 0, 2000));
    mpz_class a = number(r, 1 + static_cast<int>(r() % 64)) << gap;
    mpz_class b = number(r, 1 + static_cast<int>(r() % 64)) << (r() % 100);
    if (a < b) swap(a, b);
    ASSERT_EQ(compare(leading(a, -7), leading(b, -7)), a == b ? 0 : 1);
    ASSERT_EQ(compare(leading(b, -7), leading(a, -7)), a == b ? 0 : -1);
    for (const bool minus : {false, true}) {
      Real got;
      got.numerator = combine(leading(a, -7), leading(b, -7), minus);
      const mpz_class sum = a + (minus ? mpz_class(-b) : b);
      Real expected;
      expected.numerator = leading(sum, -7);
      for (const DType t : {f16, f32, f64}) ASSERT_EQ(round(got, t).bits, round(expected, t).bits);
    }
  }
}

TEST(IntegerSqrt, IsTheFloor) {
  Random r(4);
  for (int k = 0; k < 100000; ++k) {
    const mpz_class v = number(r, 1 + static_cast<int>(r() % 128));
    const mpz_class near = sqrt(v) * sqrt(v) - static_cast<int>(r() % 3) + 1;
    for (const mpz_class& x : {v, near}) {
      if (x < 0 || mpz_sizeinbase(x.get_mpz_t(), 2) > 128) continue;
      const mpz_class root = sqrt(x);
      ASSERT_EQ(integer_sqrt(word(x)), root.get_ui()) << x.get_str();
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
