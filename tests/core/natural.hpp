// Integers of any length, to compare with those of bounded length.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "onefold/core/base.hpp"

namespace onefold {

// Digits of 32 bits, the lowest first; the highest one is not 0.
using Natural = std::vector<uint32_t>;

inline void trim(Natural& v) {
  while (!v.empty() && v.back() == 0) v.pop_back();
}

// Returns the number of zero digits below the lowest digit that is not 0.
inline std::size_t zeros_below(const Natural& v) {
  return static_cast<std::size_t>(
      std::find_if(v.begin(), v.end(), [](uint32_t d) { return d != 0; }) - v.begin());
}

inline Natural natural(Uint128 v, int shift = 0) {
  Natural r(static_cast<std::size_t>(shift / 32), 0);
  const int left = shift % 32;
  const auto top = static_cast<uint32_t>(left == 0 ? 0 : v >> (128 - left));
  for (v <<= left; v != 0; v >>= 32) r.push_back(static_cast<uint32_t>(v));
  if (top != 0) {
    r.resize(static_cast<std::size_t>(shift / 32) + 4, 0);
    r.push_back(top);
  }
  trim(r);
  return r;
}

inline Natural operator*(const Natural& a, const Natural& b) {
  Natural r(a.size() + b.size(), 0);
  // Sums of f64 are long, and their digits below the smallest element's last bit are 0.
  const std::size_t first = zeros_below(b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    uint64_t carry = 0;
    for (std::size_t j = first; j < b.size(); ++j) {
      carry += uint64_t{a[i]} * b[j] + r[i + j];
      r[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    r[i + b.size()] = static_cast<uint32_t>(carry);
  }
  trim(r);
  return r;
}

inline bool less(const Natural& a, const Natural& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  for (std::size_t k = a.size(); k-- > 0;) {
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return false;
}
inline Natural operator+(Natural a, const Natural& b) {
  a.resize(std::max(a.size(), b.size()) + 1, 0);
  uint64_t carry = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    carry += uint64_t{a[k]} + (k < b.size() ? b[k] : 0);
    a[k] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  trim(a);
  return a;
}

// Returns a - b, for a >= b.
inline Natural operator-(Natural a, const Natural& b) {
  int64_t borrow = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const int64_t d = int64_t{a[k]} - (k < b.size() ? b[k] : 0) + borrow;
    a[k] = static_cast<uint32_t>(d);
    borrow = d >> 32;
  }
  trim(a);
  return a;
}

// (-1)^negative magnitude 2^(32 shift). Sums of f64 are long, with zeros below the last bit in use.
struct Integer {
  Natural magnitude;
  bool negative = false;
  int shift = 0;

  bool zero() const { return magnitude.empty(); }
  int digits() const { return static_cast<int>(magnitude.size()) + shift; }
  uint32_t operator[](int k) const {
    return k < shift || k >= digits() ? 0 : magnitude[static_cast<std::size_t>(k - shift)];
  }
};

// Returns v 2^bits.
inline Integer integer(Uint128 v, int bits = 0) {
  return {natural(v, bits % 32), false, bits / 32};
}

// Appends `digits` zero digits below those of v.
inline Natural padded(const Natural& v, std::size_t digits) {
  Natural r(digits + v.size());
  std::copy(v.begin(), v.end(), r.begin() + digits);
  return r;
}
// Removes zero digits at both ends; the number stays the same.
inline Integer shortened(Integer v) {
  trim(v.magnitude);
  const std::size_t zeros = zeros_below(v.magnitude);
  if (v.zero()) return {};
  if (zeros == 0) return v;
  Natural rest(v.magnitude.size() - zeros);
  std::copy_n(v.magnitude.begin() + zeros, rest.size(), rest.begin());
  return {std::move(rest), v.negative, v.shift + static_cast<int>(zeros)};
}

inline bool less_in_magnitude(const Integer& a, const Integer& b) {
  if (a.zero() || b.zero()) return a.zero() && !b.zero();
  if (a.digits() != b.digits()) return a.digits() < b.digits();
  const int low = std::min(a.shift, b.shift);
  for (int k = a.digits(); k-- > low;) {
    if (a[k] != b[k]) return a[k] < b[k];
  }
  return false;
}
inline bool less(const Integer& a, const Integer& b) {
  if (a.negative != b.negative) return a.negative && !(a.zero() && b.zero());
  return a.negative ? less_in_magnitude(b, a) : less_in_magnitude(a, b);
}
inline bool equal_in_magnitude(const Integer& a, const Integer& b) {
  return !less_in_magnitude(a, b) && !less_in_magnitude(b, a);
}

inline Integer operator-(Integer v) {
  v.negative = !v.negative && !v.zero();
  return v;
}
inline Integer operator*(const Integer& a, const Integer& b) {
  if (a.zero() || b.zero()) return {};
  return {a.magnitude * b.magnitude, a.negative != b.negative, a.shift + b.shift};
}
inline Integer operator+(const Integer& a, const Integer& b) {
  if (a.zero()) return b;
  if (b.zero()) return a;
  const int shift = std::min(a.shift, b.shift);
  const auto aligned = [&](const Integer& v) {
    return padded(v.magnitude, static_cast<std::size_t>(v.shift - shift));
  };
  const Natural x = aligned(a), y = aligned(b);
  if (a.negative == b.negative) return {x + y, a.negative, shift};
  return less(x, y) ? shortened({y - x, b.negative, shift}) : shortened({x - y, a.negative, shift});
}
inline Integer operator-(const Integer& a, const Integer& b) { return a + -b; }

}  // namespace onefold
