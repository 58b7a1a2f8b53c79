// Integers without a bound compute what GMP's do.
#include "onefold/engine/fit/big_integer.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include "engine/fit/big.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::big;

bool equal(const BigInteger& a, const mpz_class& b) { return (a - big(b)).zero(); }

// Numbers of 0 to 400 bits; a third of them has long runs of zeros and ones.
mpz_class some(gmp_randclass& random, int k) {
  const mpz_class bits = random.get_z_range(mpz_class(400));
  mpz_class v = random.get_z_bits(bits.get_ui());
  if (k % 3 == 0) {
    const mpz_class low = random.get_z_range(mpz_class(400));
    v = (mpz_class(1) << bits.get_ui()) - (mpz_class(1) << low.get_ui());
  }
  return k % 2 == 0 ? mpz_class(-v) : v;
}

TEST(BigInteger, ComputesWhatGmpDoes) {
  gmp_randclass random(gmp_randinit_default);
  for (int k = 0; k < 5000; ++k) {
    const mpz_class a = some(random, k), b = some(random, k / 2);
    ASSERT_TRUE(equal(big(a) + big(b), a + b)) << a.get_str() << ' ' << b.get_str();
    ASSERT_TRUE(equal(big(a) - big(b), a - b)) << a.get_str() << ' ' << b.get_str();
    ASSERT_TRUE(equal(big(a) * big(b), a * b)) << a.get_str() << ' ' << b.get_str();
    ASSERT_EQ(big(a).bits(), a == 0 ? 0 : static_cast<int64_t>(mpz_sizeinbase(a.get_mpz_t(), 2)));
  }
}

TEST(BigInteger, GivesTheLeadingBitsOfAQuotient) {
  gmp_randclass random(gmp_randinit_default);
  for (int k = 0; k < 3000; ++k) {
    const mpz_class a = some(random, k), b = some(random, k / 2);
    if (a == 0 || b == 0) continue;
    const Leading q = quotient(big(a), big(b), 0);
    const int exponent = q.exponent + Leading::bits - 128;
    mpq_class value(mpz_class(abs(a)), mpz_class(abs(b)));
    value.canonicalize();
    if (exponent < 0) {
      value *= mpq_class(mpz_class(1) << static_cast<unsigned long>(-exponent));
    } else {
      value /= mpq_class(mpz_class(1) << static_cast<unsigned long>(exponent));
    }
    const mpz_class floor = value.get_num() / value.get_den();
    const mpz_class high = (mpz_class(static_cast<unsigned long>(q.high() >> 64)) << 64) +
                           static_cast<unsigned long>(q.high());
    // The lowest of 128 bits is 0 if only 127 were found.
    ASSERT_TRUE(high == floor || (high == floor - 1 && q.below_high()))
        << a.get_str() << " / " << b.get_str();
    ASSERT_TRUE(high != floor || q.below_high() == (value != mpq_class(floor)))
        << a.get_str() << " / " << b.get_str();
  }
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
