// Integers without a bound, for determinants of exact sums.
//
//   value     a sign and a magnitude of 64-bit limbs, the lowest first; the highest is not 0
//   products  limb by limb: n m steps for n and m limbs
//   division  gives a quotient's leading bits, which are all that rounding needs
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "onefold/core/exact/digits.hpp"
#include "onefold/core/exact/leading.hpp"

namespace onefold {

class BigInteger {
 public:
  BigInteger() = default;
  explicit BigInteger(uint64_t v) {
    if (v != 0) limb_.push_back(v);
  }
  // Makes the integer of the digits d.low to d.high, without the zeros below them.
  explicit BigInteger(const Digits<const int64_t*>& d);

  bool zero() const { return limb_.empty(); }
  bool negative() const { return negative_; }
  const std::vector<uint64_t>& limbs() const { return limb_; }
  // The number of bits of the magnitude, and of zeros below its lowest bit that is set.
  int64_t bits() const;
  int64_t trailing_zeros() const;
  BigInteger operator-() const&;
  // The number times 2^bits; for bits < 0, without a remainder.
  BigInteger shifted(int64_t bits) const;

  friend BigInteger operator+(const BigInteger& a, const BigInteger& b);
  friend BigInteger operator-(const BigInteger& a, const BigInteger& b);
  friend BigInteger operator*(const BigInteger& a, const BigInteger& b);
  // Returns |a| / |b| times 2^exponent as 127 or 128 leading bits, and whether there is a
  // remainder; b is not 0.
  friend Leading quotient(const BigInteger& a, const BigInteger& b, int64_t exponent);

 private:
  void trim();

  std::vector<uint64_t> limb_;
  bool negative_ = false;
};

}  // namespace onefold
