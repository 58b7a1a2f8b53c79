// Integers come back from their residues, and round as GMP's do.
#include "onefold/core/exact/residues.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace onefold {
namespace ONEFOLD_FILE {

mpz_class product_of(int n) {
  mpz_class all = 1;
  for (int t = 0; t < n; ++t) all *= residues::modulus(t);
  return all;
}
uint32_t rest_of(const mpz_class& v, uint32_t p) {
  mpz_class r = v % mpz_class(p);
  if (r < 0) r += p;
  return static_cast<uint32_t>(r.get_ui());
}
mpz_class some(gmp_randclass& random, const mpz_class& most, int k) {
  if (k % 7 == 0) return k % 2 == 0 ? mpz_class(-most) : most;
  const mpz_class bits = random.get_z_range(mpz_class(mpz_sizeinbase(most.get_mpz_t(), 2)));
  mpz_class v = random.get_z_range(most >> bits.get_ui());
  return k % 2 == 0 ? mpz_class(-v) : v;
}

template <int n>
void come_back() {
  gmp_randclass random(gmp_randinit_default);
  std::mt19937_64 r(n);
  const mpz_class all = product_of(n), most = all * 496 / 1000;
  const residues::Moduli<n>& c = residues::moduli<n>;
  EXPECT_LE(c.limit, std::log2(all.get_d()) - 1.0115);
  for (int k = 0; k < 20'000; ++k) {
    const mpz_class v = some(random, most, k);
    // A sum of products of signed residues: any number of 32 bits that is congruent.
    const auto sum = [&](int t) {
      const uint32_t p = residues::modulus(t);
      const int64_t y = rest_of(v, p) * c.divisor[t] % p;
      const int64_t least = -(int64_t{1} << 31), times = (least - y) / p;
      const int64_t range = (int64_t{1} << 32) / p - 1;
      return static_cast<int32_t>(y + (times + static_cast<int64_t>(r() % range)) * p);
    };
    const auto back = residues::value_of<n>([&](int t) { return residues::term_of<n>(t, sum(t)); });
    mpz_class digits = 0;
    for (int d = residues::Moduli<n>::digits; d-- > 0;) digits = (digits << 32) + back.digit[d];
    if (back.negative) digits = -digits;
    ASSERT_TRUE(digits == v) << k;
    if (v == 0) {
      ASSERT_TRUE(back.zero());
      continue;
    }
    const double rounded = bit_cast<double>(back.round(-300, float_format(DType::f64)));
    const mpf_class exact(v, 400);
    mpf_class scaled(0, 400);
    mpf_div_2exp(scaled.get_mpf_t(), exact.get_mpf_t(), 300);
    const mpf_class away = abs(scaled - rounded),
                    most_away = abs(mpf_class(rounded, 400)) * 0x1p-53;
    ASSERT_TRUE(away <= most_away) << k;
  }
}
TEST(Residues, ComeBackAsTheIntegerThatTheyAre) {
  come_back<4>();
  come_back<8>();
  come_back<13>();
  come_back<20>();
  come_back<26>();
}

TEST(Residues, AreIntegersOf64BitsOrOverflow) {
  gmp_randclass random(gmp_randinit_default);
  for (int k = 0; k < 20'000; ++k) {
    mpz_class v = random.get_z_bits(static_cast<mp_bitcnt_t>(58 + k % 9));
    if (k % 3 == 0) v = (mpz_class(1) << (63 + k % 2)) + (k % 5 - 2);
    if (k % 4 == 0) v = -v;
    const auto sum = [&](int t) {
      const uint32_t p = residues::modulus(t);
      return static_cast<int32_t>(rest_of(v, p) * residues::moduli<11>.divisor[t] % p);
    };
    const auto back =
        residues::value_of<11>([&](int t) { return residues::term_of<11>(t, sum(t)); });
    const Rounded with_sign = back.integer(true), without = back.integer(false);
    const mpz_class top = mpz_class(1) << 63;
    const bool fits = v >= -top && v < top, fits_without = v >= 0 && v < 2 * top;
    ASSERT_EQ(with_sign.status, fits ? Status::ok : Status::overflow) << k;
    ASSERT_EQ(without.status, fits_without ? Status::ok : Status::overflow) << k;
    ASSERT_TRUE(!fits || static_cast<int64_t>(with_sign.bits) == v.get_si()) << k;
    ASSERT_TRUE(!fits_without || without.bits == v.get_ui()) << k;
  }
}

TEST(Residues, OfSumsAreOfLeastMagnitude) {
  std::mt19937_64 r(2);
  constexpr int32_t ends[] = {std::numeric_limits<int32_t>::min(), -1, 0, 1, 127, 128, -128,
                              std::numeric_limits<int32_t>::max()};
  for (int k = 0; k < 100'000; ++k) {
    const int32_t v = k < 8 ? ends[k] : static_cast<int32_t>(static_cast<uint32_t>(r()));
    for (int t = 0; t < residues::most_moduli; ++t) {
      const auto p = static_cast<int64_t>(residues::modulus(t));
      const int64_t rest = residues::residue_of(v, residues::modulus(t));
      ASSERT_EQ((v - rest) % p, 0);
      ASSERT_LE(2 * rest, p);
      ASSERT_GE(2 * rest, -p);
    }
  }
}

TEST(Residues, OfShortSumsAreReduced) {
  std::mt19937_64 r(3);
  constexpr int32_t most = residues::short_terms << 14;
  for (int k = 0; k < 100'000; ++k) {
    const auto some = static_cast<int32_t>(r() % (2 * most + 1)) - most;
    const int32_t v = k == 0 ? -most : k == 1 ? most : some;
    for (int t = 0; t < residues::most_moduli; ++t) {
      const uint32_t p = residues::modulus(t), rest = residues::residue_of_short(v, p);
      ASSERT_LT(rest, p);
      ASSERT_EQ((v - static_cast<int64_t>(rest)) % p, 0);
    }
  }
}

TEST(Residues, OfWideIntegersAreReduced) {
  std::mt19937_64 r(1);
  for (int k = 0; k < 100'000; ++k) {
    const uint64_t v = r() >> (k % 64);
    for (int t = 0; t < residues::most_moduli; ++t) {
      const uint32_t p = residues::modulus(t), inverse = residues::inverse_of(p);
      const uint32_t rest = residues::reduce_wide(v, p, inverse);
      ASSERT_LT(rest, 2 * p);
      ASSERT_EQ(residues::below(rest, p), v % p);
      const int8_t s = residues::signed_residue(static_cast<uint32_t>(v % p), p);
      ASSERT_EQ((s + static_cast<int>(p)) % static_cast<int>(p), static_cast<int>(v % p));
    }
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
