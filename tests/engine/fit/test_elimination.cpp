// Elimination modulo primes gives what rational elimination does.
#include "onefold/engine/fit/elimination.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <random>

#include "engine/fit/big.hpp"
#include "onefold/engine/fit/prime_field.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

using test::big;

using Matrix = std::vector<std::vector<mpq_class>>;

bool equal(const BigInteger& a, const mpq_class& b) {
  return b.get_den() == 1 && (a - big(b.get_num())).zero();
}

// Sums of products of columns: integers of at most `bits` bits, n rows.
Matrix sums_of(std::vector<std::vector<mpz_class>> columns) {
  Matrix a(columns.size(), std::vector<mpq_class>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      mpz_class sum = 0;
      for (std::size_t r = 0; r < columns[i].size(); ++r) sum += columns[i][r] * columns[j][r];
      a[i][j] = sum;
    }
  }
  return a;
}
SymmetricMatrix symmetric(const Matrix& a) {
  SymmetricMatrix m(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) m.at(i, j) = big(a[i][j].get_num());
  }
  return m;
}

// By fractions: sweeps A, so that the matrix becomes (-A^-1 x; x' rest). Returns the determinant.
mpq_class swept(Matrix& a) {
  mpq_class determinant = 1;
  for (std::size_t m = 0; m + 1 < a.size(); ++m) {
    const mpq_class pivot = a[m][m];
    determinant *= pivot;
    const Matrix old = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < a.size(); ++j) {
        a[i][j] = i == m && j == m   ? mpq_class(-1 / pivot)
                  : i == m || j == m ? mpq_class(old[i][j] / pivot)
                                     : mpq_class(old[i][j] - old[i][m] * old[m][j] / pivot);
      }
    }
  }
  return determinant;
}

std::vector<std::vector<mpz_class>> some_columns(gmp_randclass& random, std::size_t n,
                                                 std::size_t size, unsigned bits) {
  std::vector<std::vector<mpz_class>> columns(size, std::vector<mpz_class>(n));
  for (auto& column : columns) {
    for (mpz_class& v : column) {
      v = random.get_z_bits(bits) - (mpz_class(1) << (bits - 1));
    }
  }
  return columns;
}

TEST(Elimination, GivesWhatFractionsDo) {
  gmp_randclass random(gmp_randinit_default);
  for (const std::size_t size : {1u, 2u, 3u, 6u, 9u}) {
    for (const unsigned bits : {1u, 3u, 53u, 200u}) {
      Matrix a = sums_of(some_columns(random, size + 3, size, bits + 1));
      const Elimination e = eliminate(symmetric(a), 1);
      if (e.dependent != none) continue;  // of few bits
      const mpq_class d = swept(a);
      const std::size_t k = size - 1;
      ASSERT_TRUE(equal(e.determinant, d));
      ASSERT_TRUE(equal(e.rest, a[k][k] * d));
      for (std::size_t m = 0; m < k; ++m) {
        ASSERT_TRUE(equal(e.solution[m], a[k][m] * d)) << size << ' ' << bits << ' ' << m;
        ASSERT_TRUE(equal(e.diagonal[m], -a[m][m] * d)) << size << ' ' << bits << ' ' << m;
      }
    }
  }
}

TEST(Elimination, NamesTheFirstDependentRow) {
  gmp_randclass random(gmp_randinit_default);
  for (std::size_t dependent = 1; dependent < 5; ++dependent) {
    auto columns = some_columns(random, 12, 6, 60);
    for (std::size_t r = 0; r < 12; ++r) {
      columns[dependent][r] = 3 * columns[0][r] - (dependent > 2 ? columns[2][r] : mpz_class(0));
    }
    EXPECT_EQ(eliminate(symmetric(sums_of(columns)), 1).dependent, dependent);
    columns[dependent][7] += 1;
    EXPECT_EQ(eliminate(symmetric(sums_of(columns)), 1).dependent, none);
  }
  EXPECT_EQ(eliminate(SymmetricMatrix(3), 1).dependent, 0);
}

TEST(Elimination, IsNotMisledByAPivotThatAPrimeDivides) {
  const std::vector<uint64_t> primes = primes_below(uint64_t{1} << 62, 2);
  SymmetricMatrix m(3);
  m.at(0, 0) = BigInteger(primes[0]) * BigInteger(primes[1]);
  m.at(1, 1) = BigInteger(primes[0]);
  m.at(2, 0) = BigInteger(5);
  m.at(2, 2) = BigInteger(7);
  const Elimination e = eliminate(m, 1);
  EXPECT_EQ(e.dependent, none);
  EXPECT_TRUE((e.determinant - m.at(0, 0) * m.at(1, 1)).zero());
  EXPECT_TRUE((e.solution[0] - m.at(1, 1) * BigInteger(5)).zero());
  EXPECT_TRUE(e.solution[1].zero());
}

TEST(PrimeField, HasGmpsPrimes) {
  mpz_class v = mpz_class(1) << 62;
  for (const uint64_t p : primes_below(uint64_t{1} << 62, 30)) {
    do --v;
    while (mpz_probab_prime_p(v.get_mpz_t(), 30) == 0);
    ASSERT_EQ(p, v.get_ui());
  }
}

TEST(PrimeField, ComputesModuloAPrime) {
  const uint64_t p = primes_below(uint64_t{1} << 62, 1)[0];
  const PrimeField f(p);
  std::mt19937_64 random(59);
  for (int k = 0; k < 1000; ++k) {
    const uint64_t a = random() % p, b = k % 3 == 0 ? p - 1 : random() % p;
    const uint64_t x = f.of(BigInteger(a)), y = f.of(BigInteger(b));
    ASSERT_EQ(f.value(f.product(x, y)), static_cast<uint64_t>(static_cast<Uint128>(a) * b % p));
    ASSERT_EQ(f.value(f.difference(x, y)), a >= b ? a - b : a + p - b);
    ASSERT_EQ(f.value(f.sum(x, y)), static_cast<uint64_t>((static_cast<Uint128>(a) + b) % p));
    if (a != 0) {
      ASSERT_EQ(f.value(f.product(x, f.inverse(x))), 1);
    }
  }
  EXPECT_EQ(f.value(f.of(-BigInteger(~uint64_t{0}).shifted(64))),
            mpz_class(mpz_class(p) - ((mpz_class(~0ul) << 64) % mpz_class(p))).get_ui());
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
