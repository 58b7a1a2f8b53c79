// Adds the terms of an element, times its weight, to sums.
//
//   words 1   an f64 holds x and w x: a term has at most four roundings
//   words 2   a term is two f64, which leave out 2^-104 of it
//   exact     (CarefulTotal) all f64 of a term are added
#pragma once

#include "onefold/cuda/kernel/quick/sums.hpp"

namespace onefold::kernel {

// The factors of an element's terms, as high + low.
struct ElementFactors {
  double x = 0, y = 0;
  Difference square = {0}, difference = {0};  // x^2, x - y

  ONEFOLD_KERNEL ElementFactors(double of_x, double of_y) : x(of_x), y(of_y) {
    square.high = x * x;
    square.low = fused(x, x, -square.high);
    const auto d = two_sum<OneLane>(x, -y);
    difference = {d.sum, d.rest};
  }
  template <Factor f>
  ONEFOLD_KERNEL Difference value() const {
    if constexpr (f == Factor::one) return {1};
    if constexpr (f == Factor::x) return {x};
    if constexpr (f == Factor::y) return {y};
    if constexpr (f == Factor::magnitude) return {absolute(x)};
    if constexpr (f == Factor::square) return square;
    if constexpr (f == Factor::difference) return difference;
    if constexpr (f == Factor::distance) {
      return {absolute(difference.high), difference.high < 0 ? -difference.low : difference.low};
    }
  }
  // Whether a factor has a low part.
  static constexpr bool has_low(Factor f) {
    return f == Factor::square || f == Factor::difference || f == Factor::distance;
  }
};

// Adds w times a term to a sum of one f64 or two.
template <Factors of, int words>
ONEFOLD_KERNEL void add_term(FloatSum<words>& to, double w, const ElementFactors& element) {
  const Difference a = element.value<of.a>(), b = element.value<of.b>();
  if constexpr (words == 1) {
    if constexpr (of.is_product()) {
      to.high = fused(w * a.high, b.high, to.high);
    } else if constexpr (of.a == Factor::one) {
      to.high += w;
    } else {
      to.high = fused(w, a.high, to.high);
    }
  } else if constexpr (of.a == Factor::one) {
    to.add(w);
  } else {
    const double p = w * a.high;
    double low = fused(w, a.high, -p);
    if constexpr (ElementFactors::has_low(of.a)) low = fused(w, a.low, low);
    if constexpr (of.is_product()) {
      const double q = p * b.high;
      to.add(q);
      low = fused(low, b.high, fused(p, b.high, -q));
      if constexpr (ElementFactors::has_low(of.b)) low = fused(p, b.low, low);
    } else {
      to.add(p);
    }
    to.low += low;
  }
}

// A sum as three f64, and what they lost (exact/quick.inl).
struct CarefulTotal {
  Quick<OneLane> v = Quick<OneLane>::nothing();
  ONEFOLD_KERNEL void add(double x) {
    if (x != 0) v.add(x);
  }
};
// Adds all f64 of w a b.
ONEFOLD_KERNEL void add_all(CarefulTotal& to, double w, double a, double b) {
  const double p = w * a, rest = fused(w, a, -p);
  const double parts[] = {p, rest};
  for (const double one : parts) {
    const double q = one * b;
    to.add(q);
    to.add(fused(one, b, -q));
  }
}
template <Factors of>
ONEFOLD_KERNEL void add_term(CarefulTotal& to, double w, const ElementFactors& element) {
  const Difference a = element.value<of.a>(), b = element.value<of.b>();
  add_all(to, w, a.high, b.high);
  if constexpr (ElementFactors::has_low(of.a)) {
    if (a.low != 0) add_all(to, w, a.low, b.high);
  }
  if constexpr (ElementFactors::has_low(of.b)) {
    if (b.low != 0) add_all(to, w, a.high, b.low);
  }
  if constexpr (ElementFactors::has_low(of.a) && ElementFactors::has_low(of.b)) {
    if (a.low != 0 && b.low != 0) add_all(to, w, a.low, b.low);
  }
}

// The terms of magnitudes from which bounds of sums follow by Cauchy and Schwarz: that of w x^2
// and of w bounds the sum of w x.
//   whole   totals of integers are exact if magnitudes are small
constexpr Terms sizes_of(Terms terms, bool whole) {
  const bool squares = terms.has(Term::xx) || terms.has(Term::xy) || terms.has(Term::xxx);
  Terms sizes = Term::one;
  if (squares) sizes = sizes | Term::xx;
  if ((whole || !squares) && (terms.has(Term::x) || terms.has(Term::magnitude))) {
    sizes = sizes | Term::magnitude;
  }
  if (terms.has(Term::yy) || terms.has(Term::y) || terms.has(Term::xy)) sizes = sizes | Term::yy;
  if (terms.has(Term::xxx) || terms.has(Term::xxxx)) sizes = sizes | Term::xxxx;
  if (terms.has(Term::squared_difference)) sizes = sizes | Term::squared_difference;
  if (terms.has(Term::distance)) sizes = sizes | Term::distance;
  return sizes;
}

}  // namespace onefold::kernel
