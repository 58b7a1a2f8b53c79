// Arithmetic modulo primes below 2^62.
//
//   form    numbers are held as v 2^64 mod p ("Montgomery's form"), so that a product takes three
//           multiplications and no division: Montgomery, Math. Comp. 44 (1985)
//   primes  are found by the test of Miller and Rabin with the bases 2 to 37, which no composite
//           number below 2^64 passes: Sorenson and Webster, Math. Comp. 86 (2017)
#pragma once

#include <cstdint>
#include <vector>

#include "onefold/engine/fit/big_integer.hpp"

namespace onefold {

class PrimeField {
 public:
  // A number modulo p, in Montgomery's form.
  using Element = uint64_t;
  static constexpr int bits = 61;  // each prime is above 2^61

  //   p  odd, and below 2^62
  explicit PrimeField(uint64_t p) : p_(p) {
    inverse_ = 3 * p ^ 2;  // of p modulo 2^64: 5 right bits, then 10, 20, 40, 80
    for (int k = 0; k < 4; ++k) inverse_ *= 2 - inverse_ * p;
    one_ = ~uint64_t{0} % p + 1;
    square_ = static_cast<uint64_t>(static_cast<Uint128>(one_) * one_ % p);
  }

  uint64_t prime() const { return p_; }
  Element one() const { return one_; }
  Element product(Element a, Element b) const {
    const Uint128 t = static_cast<Uint128>(a) * b;
    const uint64_t m = static_cast<uint64_t>(t) * inverse_;
    const uint64_t low = static_cast<uint64_t>(static_cast<Uint128>(m) * p_ >> 64);
    const auto high = static_cast<uint64_t>(t >> 64);
    return high < low ? high + p_ - low : high - low;
  }
  Element sum(Element a, Element b) const {
    const uint64_t v = a + b;
    return v < p_ ? v : v - p_;
  }
  Element difference(Element a, Element b) const { return a < b ? a + p_ - b : a - b; }
  Element negative(Element a) const { return a == 0 ? 0 : p_ - a; }
  Element power(Element a, uint64_t exponent) const {
    Element r = one_;
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) r = product(r, a);
      a = product(a, a);
    }
    return r;
  }
  Element inverse(Element a) const { return power(a, p_ - 2); }
  Element of(const BigInteger& v) const {
    Element r = 0;
    for (std::size_t k = v.limbs().size(); k-- > 0;) {
      r = sum(product(r, square_), product(v.limbs()[k], square_));
    }
    return v.negative() ? negative(r) : r;
  }
  // Returns the number in [0, p).
  uint64_t value(Element a) const { return product(a, 1); }

 private:
  uint64_t p_, inverse_, one_, square_;  // square_: 2^128 mod p
};

// Returns the n greatest primes below `below`, in descending order; below 2^62 there are enough.
std::vector<uint64_t> primes_below(uint64_t below, std::size_t n);

}  // namespace onefold
