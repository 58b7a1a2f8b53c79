// Exponentials and logarithms by limbs, see fixed.hpp.
#include "onefold/cpu/exponential/fixed.hpp"

#include <algorithm>
#include <cmath>

namespace onefold::cpu_backend {
namespace {

void shift_right(Limbs& a, uint64_t bits) {
  const uint64_t limbs = bits / 64, part = bits % 64;
  const std::size_t n = a.size();
  for (std::size_t i = 0; i < n; ++i) {
    const uint64_t low = i + limbs < n ? a[i + limbs] : 0;
    const uint64_t high = i + limbs + 1 < n ? a[i + limbs + 1] : 0;
    a[i] = part == 0 ? low : low >> part | high << (64 - part);
  }
}
void shift_left(Limbs& a, uint64_t bits) {
  const uint64_t limbs = bits / 64, part = bits % 64;
  for (std::size_t i = a.size(); i-- > 0;) {
    const uint64_t high = i >= limbs ? a[i - limbs] : 0;
    const uint64_t low = i >= limbs + 1 ? a[i - limbs - 1] : 0;
    a[i] = part == 0 ? high : high << part | low >> (64 - part);
  }
}

// Returns a as f64, with a relative error below 2^-50.
double approximate(const Limbs& a, int fraction) {
  double v = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] == 0 && v == 0) continue;
    v += std::ldexp(static_cast<double>(a[i]), 64 * (static_cast<int>(i) - fraction));
  }
  return v;
}

}  // namespace

void add(Limbs& a, const Limbs& b) {
  uint64_t carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const uint64_t s = a[i] + b[i], t = s + carry;
    carry = (s < b[i]) | (t < s);
    a[i] = t;
  }
}
void subtract(Limbs& a, const Limbs& b) {
  uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const uint64_t d = a[i] - b[i], t = d - borrow;
    borrow = (a[i] < b[i]) | (d < borrow);
    a[i] = t;
  }
}
bool is_zero(const Limbs& a) {
  return std::all_of(a.begin(), a.end(), [](uint64_t limb) { return limb == 0; });
}
void divide(Limbs& a, uint32_t by) {
  uint64_t rest = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    const uint64_t high = rest << 32 | a[i] >> 32, q = high / by;
    const uint64_t low = (high % by) << 32 | (a[i] & 0xffffffff);
    a[i] = q << 32 | low / by;
    rest = low % by;
  }
}
DoublePair pair_of(const Limbs& a, int fraction) {
  const double high = approximate(a, fraction);
  Limbs rest = a;
  add_double(rest, high, fraction, true);
  const bool negative = static_cast<int64_t>(rest.back()) < 0;
  if (negative) {
    Limbs other(rest.size());
    subtract(other, rest);
    rest = other;
  }
  const double low = approximate(rest, fraction);
  return {high, negative ? -low : low};
}
void add_double(Limbs& a, double v, int fraction, bool minus) {
  if (v == 0) return;
  int exponent = 0;
  const double f = std::frexp(std::fabs(v), &exponent);
  Limbs b(a.size());
  b[0] = static_cast<uint64_t>(std::ldexp(f, 53));
  const int64_t shift = int64_t{exponent} - 53 + int64_t{64} * fraction;
  if (shift >= 0) {
    shift_left(b, static_cast<uint64_t>(shift));
  } else {
    shift_right(b, static_cast<uint64_t>(-shift));
  }
  if ((v < 0) != minus) {
    subtract(a, b);
  } else {
    add(a, b);
  }
}

FixedPoint::FixedPoint(int fraction_limbs)
    : fraction_(fraction_limbs),
      halvings_(static_cast<int>(std::min(16.0, std::sqrt(16.0 * fraction_limbs)))),
      ln2_(zero()),
      r_(zero()),
      term_(zero()),
      product_(2 * static_cast<std::size_t>(size())) {
  // ln 2 = sum of 2 / ((2 i + 1) 3^(2 i + 1)), each with an error below 2 units.
  Limbs power = integer(2);
  divide(power, 3);
  for (uint32_t i = 1; !is_zero(power); i += 2) {
    Limbs part = power;
    divide(part, i);
    add(ln2_, part);
    divide(power, 9);
  }
}

Limbs FixedPoint::integer(uint64_t v) const {
  Limbs a = zero();
  a.back() = v;
  return a;
}
Limbs FixedPoint::of(double v) const {
  Limbs a = zero();
  add_double(a, v, fraction_);
  return a;
}

void FixedPoint::multiply(const Limbs& a, const Limbs& b, Limbs& out) {
  const std::size_t n = a.size();
  std::fill(product_.begin(), product_.end(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] == 0) continue;
    uint64_t carry = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const Uint128 p = static_cast<Uint128>(a[i]) * static_cast<Uint128>(b[j]) +
                        static_cast<Uint128>(product_[i + j]) + static_cast<Uint128>(carry);
      product_[i + j] = static_cast<uint64_t>(p);
      carry = static_cast<uint64_t>(p >> 64);
    }
    product_[i + n] = carry;
  }
  std::copy_n(product_.begin() + fraction_, n, out.begin());
}

void FixedPoint::exp_minus(const Limbs& u, Limbs& out) {
  if (is_zero(u)) {
    out = integer(1);
  } else if (u.back() >= static_cast<uint64_t>(64 * fraction_)) {  // e^-u is below a unit
    std::fill(out.begin(), out.end(), 0);
  } else {
    const int k = exp_parts(u, out);
    shift_right(out, static_cast<uint64_t>(k));
  }
}

int FixedPoint::exp_parts(const Limbs& u, Limbs& out) {
  std::fill(out.begin(), out.end(), 0);
  // r = k ln 2 - u. A k that is off by one makes r negative or more than ln 2.
  auto k = static_cast<uint64_t>(approximate(u, fraction_) * 1.4426950408889634) + 1;
  const auto times_ln2 = [&](uint64_t times) {
    uint64_t carry = 0;
    for (std::size_t i = 0; i < r_.size(); ++i) {
      const Uint128 p =
          static_cast<Uint128>(ln2_[i]) * static_cast<Uint128>(times) + static_cast<Uint128>(carry);
      r_[i] = static_cast<uint64_t>(p);
      carry = static_cast<uint64_t>(p >> 64);
    }
  };
  times_ln2(k);
  subtract(r_, u);
  if (static_cast<int64_t>(r_.back()) < 0) {
    add(r_, ln2_);
    ++k;
  }
  shift_right(r_, static_cast<uint64_t>(halvings_));
  out.back() = 1;
  term_ = r_;
  for (uint32_t i = 2; !is_zero(term_); ++i) {
    add(out, term_);
    multiply(term_, r_, term_);
    divide(term_, i);
  }
  for (int i = 0; i < halvings_; ++i) multiply(out, out, out);
  return static_cast<int>(k);
}

Limbs FixedPoint::log(const Limbs& s) {
  const double y = std::max(0.0, std::log(approximate(s, fraction_)));
  Limbs result = of(y), inverse = zero();
  exp_minus(result, inverse);
  Limbs t = zero();
  multiply(s, inverse, t);
  const bool below = t.back() == 0;  // s e^-y < 1
  const Limbs one = integer(1);
  if (below) {
    Limbs rest = one;
    subtract(rest, t);
    t = rest;
  } else {
    subtract(t, one);
  }
  // ln(1 + t) = t - t^2 / 2 + t^3 / 3 - ..; ln(1 - t) = -(t + t^2 / 2 + t^3 / 3 + ..)
  Limbs power = t;
  for (uint32_t i = 1; !is_zero(power); ++i) {
    Limbs part = power;
    divide(part, i);
    if (below || i % 2 == 0) {
      subtract(result, part);
    } else {
      add(result, part);
    }
    multiply(power, t, power);
  }
  if (static_cast<int64_t>(result.back()) < 0) return zero();
  return result;
}

}  // namespace onefold::cpu_backend
