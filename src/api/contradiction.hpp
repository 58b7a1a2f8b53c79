// Integers, in units of the type's smallest subnormal, for checks that refuse saved words if no
// data can give them.
#pragma once

#include <cmath>
#include <optional>

#include "api/state.hpp"
#include "plan/natural.hpp"

namespace onefold {

// A magnitude m * 2^e, from the three highest digits: its relative error is below 2^-50.
struct Rough {
  double m = 0;
  int e = 0;
};

// A view of an integer, whose digits others own.
struct Number {
  Digits<const int64_t*> digits;       // canonical limbs
  const int64_t* magnitude = nullptr;  // else digits.low and those above it, all with the sign
  Rough rough = {};

  bool zero() const { return digits.zero(); }
  bool negative() const { return digits.negative; }
  bool odd() const { return !zero() && digits.low == 0 && ((*this)(0) & 1) != 0; }
  uint32_t operator()(int k) const {
    if (magnitude == nullptr) return digits(k);
    const int64_t d = magnitude[k - digits.low];
    return static_cast<uint32_t>(d < 0 ? -d : d);
  }
  Integer exact() const {
    if (zero()) return {};
    Integer v{Natural(static_cast<std::size_t>(digits.high + 1 - digits.low)), negative(),
              digits.low};
    for (int k = digits.low; k <= digits.high; ++k) {
      v.magnitude[static_cast<std::size_t>(k - digits.low)] = (*this)(k);
    }
    return v;
  }
};
inline Number roughly(Number v) {
  const int high = v.digits.high, low = std::max(v.digits.low, high - 2);
  for (int k = high; k >= low; --k) v.rough.m = v.rough.m * 0x1p32 + v(k);
  v.rough.e = 32 * low;
  return v;
}
// Makes a Number from n limbs, of which the first is limb `lowest`; all have the number's sign.
inline Number number_of(const int64_t* limb, int lowest, int n) {
  Number v;
  while (n > 0 && limb[n - 1] == 0) --n;
  if (n == 0) return v;
  int zeros = 0;
  while (limb[zeros] == 0) ++zeros;
  v.magnitude = limb + zeros;
  v.digits.low = lowest + zeros;
  v.digits.high = lowest + n - 1;
  v.digits.negative = limb[n - 1] < 0;
  return roughly(v);
}

// The input of contradiction(): all words of one state, or those that a table of states holds.
struct HeldWords {
  const State::Impl& kind;  // its words and count are not read
  Size count = 0;
  const int64_t* words = nullptr;  // by kind.layout; a table has only the last limb of a sum
  // For a table: the limbs that it holds of each accumulator; all have the sum's sign.
  struct Limbs {
    const int64_t* digit = nullptr;
    int lowest = 0, n = 0;
  };
  const Limbs* limbs = nullptr;  // null: `words` has the canonical limbs

  const int64_t* at(Accumulator a) const {
    const int offset = kind.layout.offset[static_cast<int>(a)];
    return offset < 0 ? nullptr : words + offset;
  }
  // Returns the sum of accumulator A; nothing if the state does not hold it.
  template <class A>
  std::optional<Number> sum(Accumulator a) const {
    const int64_t* const w = at(a);
    if (w == nullptr) return {};
    if (limbs == nullptr) return roughly({find_digits(w, A::limbs)});
    const Limbs& l = limbs[static_cast<int>(a)];
    return number_of(l.digit, l.lowest, l.n);
  }
};
const char* contradiction(const HeldWords&);

// A product n |a b| 2^shift that is not computed yet. A null factor means 1.
struct Product {
  Size n = 1;
  const Number* a = nullptr;
  const Number* b = nullptr;
  int shift = 0;

  Integer exact() const {
    Integer v = integer(n, shift);
    for (const Number* f : {a, b}) {
      if (f != nullptr) v = v * f->exact();
    }
    return v;
  }
};

inline Rough rough(const Product& p) {
  Rough r{static_cast<double>(p.n), p.shift};
  for (const Number* f : {p.a, p.b}) {
    if (f == nullptr) continue;
    r.m *= f->rough.m;
    r.e += f->rough.e;
  }
  return r;
}

// Compares by the highest digits; multiplies only if these are too close to decide.
inline bool less(const Product& p, const Product& q) {
  const Rough a = rough(p), b = rough(q);
  if (a.m == 0 || b.m == 0) return a.m == 0 && b.m != 0;
  // Each m is below 2^256.
  const int more = a.e - b.e;
  if (more < -300 || more > 300) return more < 0;
  const double left = a.m * bit_cast<double>(static_cast<uint64_t>(more + 1023) << 52);
  if (std::abs(left - b.m) > 0x1p-40 * b.m) return left < b.m;
  return less_in_magnitude(p.exact(), q.exact());
}

inline bool differ(const Product& p, const Product& q) { return less(p, q) || less(q, p); }

// Subtracts a count from `left`; returns false if `left` is smaller.
inline bool take(Size& left, int64_t count) {
  if (count < 0 || static_cast<Size>(count) > left) return false;
  left -= static_cast<Size>(count);
  return true;
}

// What the counts of a state say about its finite elements.
struct FiniteElements {
  Size finite = 0;    // an upper bound; exact if tallied
  Size not_zero = 0;  // an upper bound of those other than zero; exact if counted
  bool tallied = false, counted = false;
};
// Does the same as contradiction(), for sums of cubes and fourth powers.
const char* contradiction_of_moments(const HeldWords&, const FiniteElements&);
// Does the same as contradiction(), for states of two arrays.
const char* contradiction_of_pairs(const HeldWords&);

}  // namespace onefold
