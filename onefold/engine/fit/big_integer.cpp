#include "onefold/engine/fit/big_integer.hpp"

#include <algorithm>
#include <bit>

namespace onefold {
namespace {

using Limbs = std::vector<uint64_t>;

// Returns -1, 0 or 1 for |a| < |b|, |a| = |b|, |a| > |b|.
int compare_magnitudes(const Limbs& a, const Limbs& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  for (std::size_t k = a.size(); k-- > 0;) {
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  }
  return 0;
}

// Adds b to a, which becomes one limb longer.
void add_to(Limbs& a, const Limbs& b) {
  a.resize(std::max(a.size(), b.size()) + 1);
  Uint128 carry = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (k >= b.size() && carry == 0) break;
    carry += static_cast<Uint128>(a[k]) + (k < b.size() ? b[k] : 0);
    a[k] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
}

// Subtracts b from a >= b.
void subtract_from(Limbs& a, const Limbs& b) {
  uint64_t borrow = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (k >= b.size() && borrow == 0) break;
    const Uint128 d = static_cast<Uint128>(a[k]) - (k < b.size() ? b[k] : 0) - borrow;
    a[k] = static_cast<uint64_t>(d);
    borrow = static_cast<uint64_t>(d >> 64) & 1;
  }
}

// Doubles a magnitude that has room for its highest bit.
void double_in_place(Limbs& a) {
  uint64_t below = 0;
  for (uint64_t& limb : a) {
    const uint64_t top = limb >> 63;
    limb = limb << 1 | below;
    below = top;
  }
}

}  // namespace

BigInteger::BigInteger(const Digits<const int64_t*>& d) : negative_(!d.zero() && d.negative) {
  for (int k = d.low; k <= d.high; k += 2) {
    limb_.push_back(static_cast<uint64_t>(d(k + 1)) << 32 | d(k));
  }
  trim();
}

void BigInteger::trim() {
  while (!limb_.empty() && limb_.back() == 0) limb_.pop_back();
  if (limb_.empty()) negative_ = false;
}

int64_t BigInteger::bits() const {
  return zero() ? 0 : 64 * static_cast<int64_t>(limb_.size()) - std::countl_zero(limb_.back());
}

int64_t BigInteger::trailing_zeros() const {
  int64_t k = 0;
  while (k < static_cast<int64_t>(limb_.size()) && limb_[static_cast<std::size_t>(k)] == 0) ++k;
  return zero() ? 0 : 64 * k + std::countr_zero(limb_[static_cast<std::size_t>(k)]);
}

BigInteger BigInteger::operator-() const& {
  BigInteger r = *this;
  r.negative_ = !negative_ && !zero();
  return r;
}

BigInteger BigInteger::shifted(int64_t bits) const {
  if (zero() || bits == 0) return *this;
  BigInteger r;
  r.negative_ = negative_;
  const auto words = static_cast<std::size_t>((bits < 0 ? -bits : bits) / 64);
  const auto rest = static_cast<unsigned>((bits < 0 ? -bits : bits) % 64);
  if (bits > 0) {
    r.limb_.assign(words + limb_.size() + 1, 0);
    for (std::size_t k = 0; k < limb_.size(); ++k) {
      r.limb_[words + k] |= limb_[k] << rest;
      if (rest != 0) r.limb_[words + k + 1] = limb_[k] >> (64 - rest);
    }
  } else {
    for (std::size_t k = words; k < limb_.size(); ++k) {
      const uint64_t above = rest != 0 && k + 1 < limb_.size() ? limb_[k + 1] << (64 - rest) : 0;
      r.limb_.push_back(limb_[k] >> rest | above);
    }
  }
  r.trim();
  return r;
}

BigInteger operator+(const BigInteger& a, const BigInteger& b) {
  const bool swap = compare_magnitudes(a.limb_, b.limb_) < 0;
  BigInteger r = swap ? b : a;
  const BigInteger& small = swap ? a : b;
  if (a.negative_ == b.negative_) {
    add_to(r.limb_, small.limb_);
  } else {
    subtract_from(r.limb_, small.limb_);
  }
  r.trim();
  return r;
}

BigInteger operator-(const BigInteger& a, const BigInteger& b) { return a + -b; }

BigInteger operator*(const BigInteger& a, const BigInteger& b) {
  BigInteger r;
  r.limb_.assign(a.limb_.size() + b.limb_.size(), 0);
  for (std::size_t i = 0; i < a.limb_.size(); ++i) {
    const uint64_t one = a.limb_[i];
    uint64_t carry = 0;
    uint64_t* const to = r.limb_.data() + i;
    for (std::size_t j = 0; j < b.limb_.size(); ++j) {
      const Uint128 v = static_cast<Uint128>(one) * b.limb_[j] + to[j] + carry;
      to[j] = static_cast<uint64_t>(v);
      carry = static_cast<uint64_t>(v >> 64);
    }
    to[b.limb_.size()] = carry;
  }
  r.negative_ = a.negative_ != b.negative_;
  r.trim();
  return r;
}

Leading quotient(const BigInteger& a, const BigInteger& b, int64_t exponent) {
  if (a.zero()) return Leading();
  // The rest is below the divisor, after each step: so many bits of a that there are 127 or 128
  // steps with a quotient that is not 0.
  const int64_t shift = 127 - (a.bits() - b.bits());
  Limbs rest = (shift > 0 ? a.shifted(shift) : a).limb_;
  const BigInteger divisor = b.shifted(127 + (shift < 0 ? -shift : 0));
  Limbs by = divisor.limb_;
  const std::size_t size = std::max(rest.size(), by.size()) + 1;
  rest.resize(size);
  by.resize(size);
  Uint128 q = 0;
  for (int k = 0; k < 128; ++k) {
    q <<= 1;
    if (compare_magnitudes(rest, by) >= 0) {
      subtract_from(rest, by);
      q |= 1;
    }
    double_in_place(rest);
  }
  Leading r(q, static_cast<int>(exponent - shift));
  r.sticky = std::any_of(rest.begin(), rest.end(), [](uint64_t limb) { return limb != 0; });
  return r;
}

}  // namespace onefold
