// What saved words that no data can give have in common: whole numbers, in units of the type's
// smallest subnormal.
#pragma once

#include <cmath>

#include "api/state.hpp"
#include "plan/natural.hpp"

namespace onefold {

// The product a * b * 2^shift, not yet computed.
struct Product {
  const Natural& a;
  const Natural& b;
  int shift = 0;
};

// A magnitude m * 2^e, with a relative error below 2^-50: the three highest digits.
struct Rough {
  double m = 0;
  int e = 0;
};
inline Rough rough(const Natural& v) {
  Rough r;
  const std::size_t low = v.size() < 3 ? 0 : v.size() - 3;
  for (std::size_t k = v.size(); k > low; --k) r.m = r.m * 0x1p32 + v[k - 1];
  r.e = 32 * static_cast<int>(low);
  return r;
}
inline Rough rough(const Product& p) {
  const Rough a = rough(p.a), b = rough(p.b);
  return {a.m * b.m, a.e + b.e + p.shift};
}

// Compares by the highest digits, and multiplies only where these are too close to decide.
inline bool less(const Product& p, const Product& q) {
  const Rough a = rough(p), b = rough(q);
  if (a.m == 0 || b.m == 0) return a.m == 0 && b.m != 0;
  const double ratio = std::ldexp(a.m / b.m, a.e - b.e);
  if (std::abs(ratio - 1) > 0x1p-40) return ratio < 1;
  return less(p.a * p.b * natural(1, p.shift), q.a * q.b * natural(1, q.shift));
}

// Every |x| is at most this power of two.
template <class T>
constexpr int largest_bits() {
  constexpr DType t = dtype_of<T>;
  if (is_floating(t)) return value_bits<T>;
  if (kind_of(t) == Kind::boolean) return 0;
  return static_cast<int>(8 * bytes_of(t)) - (kind_of(t) == Kind::signed_integer ? 1 : 0);
}

// Takes what is counted from `left`; false: there are not so many.
inline bool take(Size& left, int64_t count) {
  if (count < 0 || static_cast<Size>(count) > left) return false;
  left -= static_cast<Size>(count);
  return true;
}

// As contradiction(), of what is held of two arrays.
const char* contradiction_of_pairs(const State::Impl&);

}  // namespace onefold
