// Rationals and square roots of any size, on and beside every tie, round as GMP rounds them.
#include "onefold/exact/real.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "generate.hpp"
#include "oracle/number.hpp"

namespace onefold {
namespace {

using test::Random;

Big big(const mpz_class& v) {
  Big r;
  for (mpz_class rest = v; rest != 0; rest >>= 32) {
    r.digit[r.size++] = static_cast<uint32_t>(mpz_class(rest & 0xffffffffu).get_ui());
  }
  return r;
}
mpz_class mpz(const Big& v) {
  mpz_class r = 0;
  for (int k = v.size - 1; k >= 0; --k) r = (r << 32) + v.digit[k];
  return r;
}

// Of `bits` bits; now and then with long runs of zeros and ones.
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

std::string check(const mpz_class& top, const mpz_class& bottom, int exponent, bool root,
                  bool negative, DType t) {
  Real got;
  got.numerator = big(top);
  got.denominator = big(bottom);
  got.exponent = exponent;
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

class RealRounding : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, RealRounding, testing::Values(f16, bf16, f32, f64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// Where the results are anything from nothing to infinity.
int some_exponent(Random& r, DType t, int bits) {
  const FloatFormat f = float_format(t);
  const int low = f.unit - 4, high = f.top + 4;
  return low + static_cast<int>(r() % static_cast<uint64_t>(high - low)) - bits;
}

TEST_P(RealRounding, OfRandomRationals) {
  Random r(1);
  for (int k = 0; k < 30000; ++k) {
    const int a = 1 + static_cast<int>(test::pick_log(r, 0, 2500));
    const int b = 1 + static_cast<int>(test::pick_log(r, 0, 200));
    const mpz_class top = number(r, a), bottom = number(r, b);
    ASSERT_EQ(
        check(top, bottom, some_exponent(r, GetParam(), a - b), false, k % 2 == 0, GetParam()), "");
    ASSERT_EQ(
        check(top, bottom, 2 * some_exponent(r, GetParam(), 0) - (a - b), true, false, GetParam()),
        "");
  }
}

// (2 m + 1) / 2 units of the last place, times a denominator, and one more or less.
TEST_P(RealRounding, OfTiesAndTheirNeighbours) {
  Random r(2);
  const int digits = float_format(GetParam()).mantissa_bits + 1;
  for (int k = 0; k < 30000; ++k) {
    const int kept = r() % 3 == 0 ? 1 + static_cast<int>(r() % static_cast<uint64_t>(digits))
                                  : digits;  // fewer where the result is subnormal
    const mpz_class middle = 2 * number(r, kept) + 1;
    const mpz_class bottom = number(r, 1 + static_cast<int>(test::pick_log(r, 0, 160)));
    const auto shift = static_cast<int>(test::pick_log(r, 0, 600));
    const int bits = kept + 1 + shift;
    const int exponent = kept < digits ? float_format(GetParam()).unit - 1 - shift
                                       : some_exponent(r, GetParam(), bits);
    const mpz_class square = middle * middle * bottom << (2 * shift);
    for (const int off : {-1, 0, 1}) {
      const mpz_class top = (middle * bottom << shift) + off;
      ASSERT_EQ(check(top, bottom, exponent, false, off == 0, GetParam()), "");
      ASSERT_EQ(check(square + off, bottom, 2 * exponent, true, false, GetParam()), "");
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
        ASSERT_EQ(check(top, 1, power - extra, false, true, GetParam()), "");
        ASSERT_EQ(check((mpz_class(1) << 2 * extra) + off, 1, 2 * (power - extra), true, false,
                        GetParam()),
                  "");
      }
    }
  }
  // Half of a last place below the power that overflows: a tie that becomes infinite.
  const mpz_class largest = (mpz_class(1) << (f.mantissa_bits + 2)) - 1;
  for (const int off : {-1, 0, 1}) {
    EXPECT_EQ(check((largest << 900) + off, 1, f.top - f.mantissa_bits - 2 - 900, false, false,
                    GetParam()),
              "");
  }
}

TEST(Big, AddsMultipliesShiftsAndDividesAsGmpDoes) {
  Random r(3);
  for (int k = 0; k < 20000; ++k) {
    const int bits_a = 1 + static_cast<int>(test::pick_log(r, 0, 2200));
    const int bits_b = 1 + static_cast<int>(test::pick_log(r, 0, 2200));
    const mpz_class a = number(r, bits_a), b = number(r, bits_b);
    const auto shift = static_cast<int>(r() % 200);
    ASSERT_TRUE(mpz(add(big(a), big(b))) == a + b);
    ASSERT_TRUE(mpz(multiply(big(a), big(b))) == a * b);
    // Zero digits below and in between.
    const mpz_class padded = (a << 32 * (r() % 10)) + (a >> 1), zeros = b << 32 * (r() % 10);
    ASSERT_TRUE(mpz(multiply(big(padded), big(zeros))) == padded * zeros);
    ASSERT_TRUE(mpz(multiply(big(zeros), big(padded))) == padded * zeros);
    ASSERT_TRUE(mpz(shift_left(big(a), shift)) == a << shift);
    ASSERT_TRUE(mpz(shift_right(big(a), shift)) == a >> shift);
    ASSERT_EQ(compare(big(a), big(b)), a < b ? -1 : a > b ? 1 : 0);
    const mpz_class& larger = a < b ? b : a;
    const mpz_class& smaller = a < b ? a : b;
    ASSERT_TRUE(mpz(subtract(big(larger), big(smaller))) == larger - smaller);
    ASSERT_EQ(big(a).bits(), static_cast<int>(mpz_sizeinbase(a.get_mpz_t(), 2)));
    ASSERT_EQ(big(a).any_below(shift), (a & ((mpz_class(1) << shift) - 1)) != 0);
    const mpz_class d = number(r, 1 + static_cast<int>(test::pick_log(r, 0, 190)));
    for (const bool even : {false, true}) {
      const int bits = 60 + static_cast<int>(r() % 59);
      const Quotient q = divide(big(a), big(d), bits, even);
      const mpz_class value = mpz(Big(q.value));
      mpz_class top = a, bottom = d;
      (q.exponent > 0 ? bottom : top) <<= std::abs(q.exponent);
      ASSERT_TRUE(value == top / bottom) << a.get_str(16) << " / " << d.get_str(16);
      ASSERT_EQ(q.sticky, top % bottom != 0);
      const auto length = static_cast<int>(mpz_sizeinbase(value.get_mpz_t(), 2));
      ASSERT_GE(length, bits);
      ASSERT_LE(length, bits + 2);
      ASSERT_TRUE(!even || q.exponent % 2 == 0);
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
      ASSERT_EQ(integer_sqrt(big(x).window(0)), root.get_ui()) << x.get_str();
    }
  }
}

}  // namespace
}  // namespace onefold
