#include "onefold/engine/fit/elimination.hpp"

#include <algorithm>

#include "onefold/engine/fit/prime_field.hpp"
#include "onefold/system/parallel.hpp"

namespace onefold {
namespace {

// What a prime leaves of the numbers: each modulo it.
struct Residues {
  uint64_t prime = 0;
  std::size_t swept = 0;                   // rows before the first pivot that is 0
  std::vector<PrimeField::Element> value;  // determinant, rest, solution, diagonal
};

// A sweep of row m replaces the pivot d by -1 / d, its row by row / d, and all other entries by
// a_ij - a_im a_mj / d. When all rows of A are swept, it has become -A^-1, b the solution, and c
// the rest.
Residues eliminate(const SymmetricMatrix& matrix, uint64_t prime) {
  const PrimeField f(prime);
  const std::size_t size = matrix.size(), k = size - 1;
  std::vector<PrimeField::Element> a(matrix.entries().size()), column(size);
  std::transform(matrix.entries().begin(), matrix.entries().end(), a.begin(),
                 [&](const BigInteger& v) { return f.of(v); });
  const auto row = [&](std::size_t i) { return a.data() + i * (i + 1) / 2; };
  Residues r{.prime = prime, .value = {f.one()}};
  for (std::size_t m = 0; m < k; ++m, ++r.swept) {
    const PrimeField::Element pivot = row(m)[m];
    if (pivot == 0) return r;
    for (std::size_t i = 0; i < size; ++i) column[i] = i < m ? row(m)[i] : row(i)[m];
    column[m] = 0;
    const PrimeField::Element inverse = f.inverse(pivot);
    for (std::size_t i = 0; i < size; ++i) {
      PrimeField::Element* const to = row(i);
      const PrimeField::Element factor = f.product(column[i], inverse);
      for (std::size_t j = 0; j <= i; ++j) {
        to[j] = f.difference(to[j], f.product(factor, column[j]));
      }
      (i < m ? row(m)[i] : to[m]) = factor;
    }
    row(m)[m] = f.negative(inverse);
    r.value[0] = f.product(r.value[0], pivot);
  }
  const PrimeField::Element determinant = r.value[0];
  const auto put = [&](PrimeField::Element v) { r.value.push_back(f.product(v, determinant)); };
  put(row(k)[k]);
  for (std::size_t m = 0; m < k; ++m) put(row(k)[m]);
  for (std::size_t m = 0; m < k; ++m) put(f.negative(row(m)[m]));
  return r;
}

// The Chinese remainder theorem, prime by prime.
class Remainders {
 public:
  explicit Remainders(const std::vector<Residues>& residues) : residues_(residues), product_(1) {
    for (const Residues& r : residues) {
      const PrimeField f(r.prime);
      steps_.push_back({f, f.inverse(f.of(product_)), product_});
      product_ = product_ * BigInteger(r.prime);
    }
  }
  // Returns number `which`, whose magnitude is below half the primes' product.
  BigInteger number(std::size_t which) const {
    BigInteger v;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const auto& [f, inverse, before] = steps_[k];
      const PrimeField::Element missing = f.difference(residues_[k].value[which], f.of(v));
      v = v + before * BigInteger(f.value(f.product(missing, inverse)));
    }
    const BigInteger turned = v - product_;
    return (v + turned).negative() ? v : turned;
  }

 private:
  struct Step {
    PrimeField field;
    PrimeField::Element inverse;  // of the product of the primes before
    BigInteger before;            // that product
  };
  const std::vector<Residues>& residues_;
  std::vector<Step> steps_;
  BigInteger product_;
};

// Returns a bound of the bits of minors of the first n rows, and a sign.
int64_t bits_of_minors(const SymmetricMatrix& matrix, std::size_t n) {
  int64_t bits = 2;
  for (std::size_t i = 0; i < n; ++i) bits += matrix.at(i, i).bits();
  return bits;
}

}  // namespace

// A pivot that is 0 modulo a prime need not be 0. If it is, it is 0 modulo all primes. So only
// those primes count that sweep most rows; when their product exceeds the minor's bound, it is 0.
Elimination eliminate(const SymmetricMatrix& matrix, int threads) {
  const std::size_t k = matrix.size() - 1;
  std::vector<Residues> kept;
  uint64_t below = uint64_t{1} << 62;
  std::size_t swept = 0;
  for (;;) {
    const int64_t bits = bits_of_minors(matrix, swept < k ? swept + 1 : k + 1);
    const auto needed = static_cast<std::size_t>(bits / PrimeField::bits + 1);
    if (kept.size() >= needed) break;
    const std::vector<uint64_t> primes = primes_below(below, needed - kept.size());
    below = primes.back();
    std::vector<Residues> more(primes.size());
    parallel(primes.size(), threads,
             [&](std::size_t i) { more[i] = eliminate(matrix, primes[i]); });
    for (Residues& r : more) {
      if (r.swept < swept) continue;
      if (r.swept > swept) kept.clear();
      swept = r.swept;
      kept.push_back(std::move(r));
    }
  }
  Elimination e;
  if (swept < k) {
    e.dependent = swept;
    return e;
  }
  const Remainders remainders(kept);
  std::vector<BigInteger> values(2 + 2 * k);
  parallel(values.size(), threads, [&](std::size_t i) { values[i] = remainders.number(i); });
  e.determinant = values[0];
  e.rest = values[1];
  e.solution.assign(values.begin() + 2, values.begin() + 2 + static_cast<std::ptrdiff_t>(k));
  e.diagonal.assign(values.begin() + 2 + static_cast<std::ptrdiff_t>(k), values.end());
  return e;
}

}  // namespace onefold
