// Whole numbers of any length, for the few questions that need them.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "onefold/exact/digits.hpp"

namespace onefold {

// Digits of 32 bits, the lowest first, none above the highest that is not 0.
using Natural = std::vector<uint32_t>;

struct Integer {
  Natural magnitude;
  bool negative = false;
};

inline void trim(Natural& v) {
  while (!v.empty() && v.back() == 0) v.pop_back();
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
  // Sums of f64 are long, and 0 below the smallest element's last bit.
  const auto first = static_cast<std::size_t>(
      std::find_if(b.begin(), b.end(), [](uint32_t d) { return d != 0; }) - b.begin());
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

// Not of vectors, which order by their first digit.
inline bool less(const Natural& a, const Natural& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}
inline bool less(const Integer& a, const Integer& b) {
  if (a.negative != b.negative) return a.negative && !(a.magnitude.empty() && b.magnitude.empty());
  return a.negative ? less(b.magnitude, a.magnitude) : less(a.magnitude, b.magnitude);
}
inline bool odd(const Natural& v) { return !v.empty() && (v[0] & 1) != 0; }

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

// a - b, a >= b.
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

inline Integer operator-(Integer v) {
  v.negative = !v.negative && !v.magnitude.empty();
  return v;
}
inline Integer operator*(const Integer& a, const Integer& b) {
  Natural magnitude = a.magnitude * b.magnitude;
  const bool negative = a.negative != b.negative && !magnitude.empty();
  return {std::move(magnitude), negative};
}
inline Integer operator+(const Integer& a, const Integer& b) {
  if (a.negative == b.negative) return {a.magnitude + b.magnitude, a.negative};
  if (less(a.magnitude, b.magnitude)) return {b.magnitude - a.magnitude, b.negative};
  Natural rest = a.magnitude - b.magnitude;
  const bool negative = a.negative && !rest.empty();
  return {std::move(rest), negative};
}
inline Integer operator-(const Integer& a, const Integer& b) { return a + -b; }

inline int bits_of_natural(const Natural& v) {
  return v.empty() ? 0 : 32 * static_cast<int>(v.size() - 1) + bit_length(uint64_t{v.back()});
}

// What an accumulator's limbs say.
template <class A>
Integer limbs_of(const int64_t* w) {
  const Digits<const int64_t*> d = find_digits(w, A::limbs);
  Integer r{{}, d.negative};
  r.magnitude.resize(static_cast<std::size_t>(d.high + 1));
  for (int k = d.low; k <= d.high; ++k) r.magnitude[static_cast<std::size_t>(k)] = d(k);
  trim(r.magnitude);
  return r;
}

}  // namespace onefold
