// Numbers of one f64 or two with an error bound, which the formulas of formula/statistics.inl
// evaluate for one answer.
//
//   Near   one f64: for answers of up to 32 bits
//   Wide   two f64. An operation errs by less than 2^-98 of its result, or of what it subtracts
// A quotient, or a root, is infinitely uncertain if its divisor, or what stands under the root, may
// be 0: if it is below 64 times its error.
#pragma once

#include "onefold/core/exact/quick.hpp"
#include "onefold/core/formula/statistics.hpp"
#include "onefold/cuda/kernel/number/scalar.hpp"

namespace onefold::kernel {

using formula::OverRoot;
using formula::Ratio;

// What the errors of two factors give to their product.
ONEFOLD_KERNEL double given_by(double a, double a_error, double b, double b_error) {
  return absolute(a) * b_error + (absolute(b) + b_error) * a_error;
}
struct Near {
  double value, error = 0;
};
// One rounding of a product, and one of the difference; that of the other product is subtracted.
// 1/16 of the factors' errors covers 2^-106 of a product.
ONEFOLD_KERNEL Near cross(const Near& a, const Near& b, const Near& c, const Near& d) {
  const auto cd = OneLane::product(c.value, d.value);
  const double v = fused(a.value, b.value, -cd.sum) - cd.rest;
  const double given =
      given_by(a.value, a.error, b.value, b.error) + given_by(c.value, c.error, d.value, d.error);
  return {v, given * (1 + 0x1p-4) + absolute(v) * 0x1p-51};
}
ONEFOLD_KERNEL Near operator*(const Near& a, const Near& b) {
  const double v = a.value * b.value;
  return {v, given_by(a.value, a.error, b.value, b.error) * (1 + 0x1p-4) + absolute(v) * 0x1p-52};
}
ONEFOLD_KERNEL Near operator+(const Near& a, const Near& b) {
  const double v = a.value + b.value;
  return {v, a.error + b.error + absolute(v) * 0x1p-52};
}
ONEFOLD_KERNEL Near operator-(const Near& a, const Near& b) { return a + Near{-b.value, b.error}; }
ONEFOLD_KERNEL bool is_zero(const Near& v) { return v.value == 0 && v.error == 0; }
ONEFOLD_KERNEL bool is_negative(const Near& v) { return v.value < 0; }
ONEFOLD_KERNEL bool may_be_zero(const Near& v) { return !(v.error * 64 < absolute(v.value)); }
ONEFOLD_KERNEL Near quotient_of(const Near& a, const Near& b) {
  const double v = a.value / b.value;
  const double error = 1.1 * (a.error + absolute(v) * b.error) / absolute(b.value);
  return {v, may_be_zero(b) ? OneLane::infinity() : error};
}
// Returns the square root of b c, which are not negative.
ONEFOLD_KERNEL Near mean_of(const Near& b, const Near& c) {
  const double v = square_root(b.value * c.value);
  const double error = 0.6 * v * (b.error / b.value + c.error / c.value);
  return {v, may_be_zero(b) || may_be_zero(c) ? OneLane::infinity() : error};
}

inline constexpr double wide_step = 0x1p-98;

// high + low, give or take `error`.
struct Wide {
  double high, low = 0, error = 0;

  ONEFOLD_KERNEL static Wide of(double high, double low, double error) {
    const auto s = two_sum<OneLane>(high, low);
    return {s.sum, s.rest, error};
  }
  ONEFOLD_KERNEL double size() const { return absolute(high); }
};
ONEFOLD_KERNEL bool is_zero(const Wide& v) { return v.high == 0 && v.error == 0; }
ONEFOLD_KERNEL bool is_negative(const Wide& v) { return v.high < 0; }
ONEFOLD_KERNEL bool may_be_zero(const Wide& v) { return !(v.error * 64 < v.size()); }
// Without errors.
ONEFOLD_KERNEL Wide product_of(const Wide& a, const Wide& b) {
  const auto p = OneLane::product(a.high, b.high);
  return Wide::of(p.sum, fused(a.high, b.low, fused(a.low, b.high, p.rest)), 0);
}
ONEFOLD_KERNEL Wide difference_of(const Wide& a, const Wide& b, double error) {
  const auto s = two_sum<OneLane>(a.high, -b.high), t = two_sum<OneLane>(a.low, -b.low);
  const auto u = two_sum<OneLane>(s.sum, s.rest + t.sum);
  return Wide::of(u.sum, u.rest + t.rest, error);
}
ONEFOLD_KERNEL Wide operator*(const Wide& a, const Wide& b) {
  Wide p = product_of(a, b);
  p.error = 1.1 * given_by(a.high, a.error, b.high, b.error) + p.size() * wide_step;
  return p;
}
ONEFOLD_KERNEL Wide operator-(const Wide& a, const Wide& b) {
  return difference_of(a, b, a.error + b.error + (a.size() + b.size()) * wide_step);
}
ONEFOLD_KERNEL Wide operator+(const Wide& a, const Wide& b) {
  return a - Wide{-b.high, -b.low, b.error};
}
ONEFOLD_KERNEL Wide cross(const Wide& a, const Wide& b, const Wide& c, const Wide& d) {
  const Wide p = product_of(a, b), q = product_of(c, d);
  const double given =
      given_by(a.high, a.error, b.high, b.error) + given_by(c.high, c.error, d.high, d.error);
  return difference_of(p, q, 1.1 * given + (p.size() + q.size()) * (2 * wide_step));
}
ONEFOLD_KERNEL double no_number() { return bit_cast<double>(uint64_t{0x7ff8} << 48); }
// NaN where b is 0, and infinitely uncertain where b may be.
ONEFOLD_KERNEL Wide quotient_of(const Wide& a, const Wide& b) {
  const double q = a.high / b.high, rest = fused(-q, b.high, a.high) + fused(-q, b.low, a.low),
               error = 1.1 * (a.error + absolute(q) * b.error) / b.size() + absolute(q) * wide_step;
  if (is_zero(b)) return {no_number()};
  if (is_zero(a)) return {0};
  return Wide::of(q, rest / b.high, may_be_zero(b) ? OneLane::infinity() : error);
}
// Of what is not negative.
ONEFOLD_KERNEL Wide root_of(const Wide& a) {
  if (is_zero(a)) return {0};
  if (is_negative(a) || may_be_zero(a)) return {1, 0, OneLane::infinity()};
  const double r = square_root(a.high), rest = fused(-r, r, a.high) + a.low;
  return Wide::of(r, rest / (2 * r), r * (0.6 * a.error / a.high + wide_step));
}
// The root of a b.
ONEFOLD_KERNEL Wide mean_of(const Wide& a, const Wide& b) {
  const Wide r = root_of(a), s = root_of(b);
  if (is_zero(r) || is_zero(s)) return {0};  // whatever the other one is
  Wide p = product_of(r, s);
  p.error = 1.1 * (r.error * s.size() + s.error * r.size()) + p.size() * wide_step;
  return p;
}

// Drops the errors of what is exact.
template <class R>
ONEFOLD_KERNEL R known_if(bool exact, R r) {
  if (!exact) return r;
  r.a.error = r.b.error = 0;
  if constexpr (requires { r.c; }) r.c.error = 0;
  return r;
}
// Every answer of a formula as a dividend and a divisor.
template <class N>
ONEFOLD_KERNEL Ratio<N> ratio_of(const Ratio<N>& r) {
  return r;
}
template <class N>
ONEFOLD_KERNEL Ratio<N> ratio_of(const OverRoot<N>& r) {
  return {r.a, mean_of(r.b, r.c)};
}

}  // namespace onefold::kernel
