#include "onefold/engine/fit/prime_field.hpp"

#include <algorithm>

namespace onefold {
namespace {

constexpr uint64_t small_primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

bool is_prime(uint64_t n) {
  for (const uint64_t p : small_primes) {
    if (n % p == 0) return n == p;
  }
  const PrimeField f(n);
  uint64_t odd = n - 1;
  int halvings = 0;
  for (; (odd & 1) == 0; odd >>= 1) ++halvings;
  const uint64_t minus_one = f.negative(f.one());
  return std::all_of(std::begin(small_primes), std::end(small_primes), [&](uint64_t base) {
    uint64_t v = f.power(f.of(BigInteger(base)), odd);
    if (v == f.one()) return true;
    for (int k = 0; k < halvings; ++k, v = f.product(v, v)) {
      if (v == minus_one) return true;
    }
    return false;
  });
}

}  // namespace

std::vector<uint64_t> primes_below(uint64_t below, std::size_t n) {
  std::vector<uint64_t> primes;
  for (uint64_t v = (below - 2) | 1; primes.size() < n; v -= 2) {
    if (is_prime(v)) primes.push_back(v);
  }
  return primes;
}

}  // namespace onefold
