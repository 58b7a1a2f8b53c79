// Answers of ops of two arrays: quotients of two whole numbers of any length, and roots of such.
//
//   value    (-1)^negative a / b, or its root; a, b are products and differences of exact sums
//   rounded  128 bits of the quotient or more, and whether there is a rest: Real does what is left
//   exact    the differences cancel without loss; corr and cosine are at most 1 by Cauchy and
//            Schwarz, and rounding keeps that
//   source   Knuth, TAOCP 2, 4.3.1, algorithm D (long division)
#include <utility>

#include "onefold/gathered.hpp"
#include "plan/natural.hpp"

#pragma GCC diagnostic error "-Wswitch"  // a formula without its case

namespace onefold {
namespace {

Natural shifted_up(const Natural& v, int bits) {
  Natural r(v.size() + 1, 0);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const uint64_t d = static_cast<uint64_t>(v[k]) << bits;
    r[k] |= static_cast<uint32_t>(d);
    r[k + 1] = static_cast<uint32_t>(d >> 32);
  }
  return r;
}

// floor(a / b) and whether there is a rest.
std::pair<Natural, bool> divide(const Natural& a, const Natural& b) {
  if (b.size() == 1) {  // two digits are easier
    return divide(padded(a, 1), padded(b, 1));
  }
  const int bits = 32 - bit_length(uint64_t{b.back()});
  Natural v = shifted_up(b, bits);
  trim(v);
  Natural u = shifted_up(a, bits);
  const std::size_t n = v.size();
  if (u.size() <= n) return {{}, !a.empty()};
  Natural q(u.size() - n, 0);
  for (std::size_t j = q.size(); j-- > 0;) {
    const uint64_t top = static_cast<uint64_t>(u[j + n]) << 32 | u[j + n - 1];
    uint64_t guess = top / v[n - 1], rest = top % v[n - 1];
    while (guess >> 32 != 0 || guess * v[n - 2] > (rest << 32 | u[j + n - 2])) {
      --guess;
      rest += v[n - 1];
      if (rest >> 32 != 0) break;
    }
    int64_t borrow = 0;
    uint64_t carry = 0;
    for (std::size_t k = 0; k < n; ++k) {
      carry += guess * v[k];
      const int64_t d = int64_t{u[j + k]} - static_cast<uint32_t>(carry) + borrow;
      u[j + k] = static_cast<uint32_t>(d);
      borrow = d >> 32;
      carry >>= 32;
    }
    const int64_t d = int64_t{u[j + n]} - static_cast<int64_t>(carry) + borrow;
    u[j + n] = static_cast<uint32_t>(d);
    if (d < 0) {
      --guess;
      uint64_t c = 0;
      for (std::size_t k = 0; k < n; ++k) {
        c += uint64_t{u[j + k]} + v[k];
        u[j + k] = static_cast<uint32_t>(c);
        c >>= 32;
      }
      u[j + n] += static_cast<uint32_t>(c);
    }
    q[j] = static_cast<uint32_t>(guess);
  }
  trim(q);
  trim(u);
  return {std::move(q), !u.empty()};
}

Leading leading_of(const Natural& v, int unit) {
  if (v.empty()) return {};
  return leading_digits([&](int k) { return v[static_cast<std::size_t>(k)]; },
                        static_cast<int>(zeros_below(v)), static_cast<int>(v.size()) - 1, unit);
}

// a / b 2^unit; b > 0.
Real quotient(Integer a, const Integer& b, int unit) {
  Real r;
  if (a.zero()) return r;
  r.negative = a.negative;
  // Five digits more than the divisor has: 128 bits of the quotient, at least.
  const std::size_t digits = b.magnitude.size() + 5;
  if (a.magnitude.size() < digits) {
    const std::size_t more = digits - a.magnitude.size();
    a.magnitude = padded(a.magnitude, more);
    a.shift -= static_cast<int>(more);
  }
  const auto [q, rest] = divide(a.magnitude, b.magnitude);
  r.numerator = leading_of(q, unit + 32 * (a.shift - b.shift));
  r.numerator.sticky = r.numerator.sticky || rest;
  return r;
}
Real root(Real r) {
  r.root = true;
  return r;
}

template <class T>
struct Sums {
  const Gathered& g;
  static constexpr int unit = unit_of<T>;
  Integer x() const { return limbs_of<accumulator::left_sum<T>>(g.at(Accumulator::left_sum)); }
  Integer y() const { return limbs_of<accumulator::right_sum<T>>(g.at(Accumulator::right_sum)); }
  Integer xx() const { return limbs_of<accumulator::left_sumsq<T>>(g.at(Accumulator::left_sumsq)); }
  Integer yy() const {
    return limbs_of<accumulator::right_sumsq<T>>(g.at(Accumulator::right_sumsq));
  }
  Integer xy() const { return limbs_of<accumulator::dot<T>>(g.at(Accumulator::dot)); }
  Integer difference() const {
    return limbs_of<accumulator::sumabsdiff<T>>(g.at(Accumulator::sumabsdiff));
  }
};

// What is counted of the pairs that the policy leaves.
struct Pairs {
  Size n, nan, infinite, right_infinite, same_infinity;
};
Pairs pairs_of(const Gathered& g) {
  const int64_t* const w = g.at(Accumulator::pairs);
  Pairs p{static_cast<Size>(w[0]), static_cast<Size>(w[1]), static_cast<Size>(w[2]),
          static_cast<Size>(w[3]), static_cast<Size>(w[4])};
  if (g.nan == NanPolicy::omit) p.n -= p.nan;
  return p;
}

template <class T>
Real greatest_difference(const Gathered& g) {
  const int64_t* const w = g.at(Accumulator::maxabsdiff);
  if constexpr (!Floating<T>) {
    return Real::integer(static_cast<uint64_t>(w[0]));
  } else {
    const Real high = Real::of(bit_cast<double>(w[0])), low = Real::of(bit_cast<double>(w[1]));
    if (high.kind != Real::Kind::finite) return high;
    Real r;
    r.numerator = combine(high.numerator, low.numerator, low.negative);
    return r;
  }
}

// The sum of the squares of differences over n.
template <class T>
Real squared_difference(const Gathered& g, Size n) {
  const Sums<T> s{g};
  return quotient(s.xx() + s.yy() - integer(2) * s.xy(), integer(n), 2 * s.unit);
}

// n P - Sx Sy: what cov, corr and a slope are made of. n Q - S^2 is the same of one array.
Integer spread(const Integer& n, const Integer& products, const Integer& x, const Integer& y) {
  return n * products - x * y;
}

// (n P - Sx Sy) / (n (n - k)), k = c / (d 2^s).
template <class T>
Real covariance(const Gathered& g, Size count) {
  const Sums<T> s{g};
  const Integer n = integer(count), scale = integer(static_cast<Uint128>(g.correction.denominator),
                                                    static_cast<int>(g.correction.shift));
  const bool negative = g.correction.numerator < 0;
  const auto bits = static_cast<uint64_t>(g.correction.numerator);
  Integer k = integer(negative ? 0 - bits : bits);
  k.negative = negative && bits != 0;
  const Integer left = n * scale - k;
  if (left.negative || left.zero()) return Real::nan();
  return quotient(spread(n, s.xy(), s.x(), s.y()) * scale, n * left, 2 * s.unit);
}

template <class T>
Real cosine_of(const Gathered& g) {
  const Sums<T> s{g};
  const Integer p = s.xy(), both = s.xx() * s.yy();
  if (both.zero()) return Real::nan();
  Real r = root(quotient(p * p, both, 0));
  r.negative = p.negative;
  return r;
}

template <class T>
Real correlation(const Gathered& g, Size count) {
  const Sums<T> s{g};
  const Integer n = integer(count), x = s.x(), y = s.y();
  const Integer spread_x = spread(n, s.xx(), x, x), spread_y = spread(n, s.yy(), y, y);
  if (spread_x.zero() || spread_y.zero()) return Real::nan();
  const Integer common = spread(n, s.xy(), x, y);
  Real r = root(quotient(common * common, spread_x * spread_y, 0));
  r.negative = common.negative;
  return r;
}

// The slope of y over x, or where the line meets x = 0.
template <class T>
Real line(const Gathered& g, Size count, bool at_zero) {
  const Sums<T> s{g};
  const Integer n = integer(count), x = s.x(), y = s.y();
  const Integer spread_x = spread(n, s.xx(), x, x);
  if (spread_x.zero()) return Real::nan();
  if (at_zero) return quotient(y * s.xx() - x * s.xy(), spread_x, s.unit);
  return quotient(spread(n, s.xy(), x, y), spread_x, 0);
}

// P / Sw, by the rules of products and sums.
template <class T>
Real weighted_mean(const Gathered& g, const Pairs& p) {
  const Tally t = g.dot_tally();
  const Integer weights = limbs_of<accumulator::right_sum<T>>(g.at(Accumulator::right_sum));
  const bool opposed = t.positive_infinity != 0 && t.negative_infinity != 0;
  if (p.right_infinite != 0 || t.invalid != 0 || opposed || weights.zero()) return Real::nan();
  if (t.infinite()) return Real::infinity((t.negative_infinity != 0) != weights.negative);
  const Sums<T> s{g};
  Integer weight = weights;
  weight.negative = false;
  Real r = quotient(s.xy(), weight, s.unit);
  if (r.numerator.zero()) {
    r.negative = t.all_negative_zero && !weights.negative;
  } else {
    r.negative = r.negative != weights.negative;
  }
  return r;
}

}  // namespace

Real Gathered::pair_formula(PairFormula f) const {
  const Pairs p = pairs_of(*this);
  Real r;
  if (settled_by_nan(*this, p.nan, r)) return r;
  if (p.n == 0) {
    if (f == PairFormula::distance) return Real::zero();
    return f == PairFormula::max_abs_diff ? Real::bad(Status::empty_input) : Real::nan();
  }
  const auto of_difference = [&](auto value) {
    if (p.same_infinity != 0) return Real::nan();
    return p.infinite != 0 ? Real::infinity() : value();
  };
  const auto of_relation = [&](auto value) { return p.infinite != 0 ? Real::nan() : value(); };
  return visit(dtype, [&]<class T>() {
    const Gathered& g = *this;
    switch (f) {
      case PairFormula::mse:
        return of_difference([&] { return squared_difference<T>(g, p.n); });
      case PairFormula::rmse:
        return of_difference([&] { return root(squared_difference<T>(g, p.n)); });
      case PairFormula::distance:
        return of_difference([&] { return root(squared_difference<T>(g, 1)); });
      case PairFormula::mae:
        return of_difference(
            [&] { return quotient(Sums<T>{g}.difference(), integer(p.n), unit_of<T>); });
      case PairFormula::max_abs_diff:
        return of_difference([&] { return greatest_difference<T>(g); });
      case PairFormula::cov:
        return of_relation([&] { return covariance<T>(g, p.n); });
      case PairFormula::corr:
        return of_relation([&] { return correlation<T>(g, p.n); });
      case PairFormula::slope:
        return of_relation([&] { return line<T>(g, p.n, false); });
      case PairFormula::intercept:
        return of_relation([&] { return line<T>(g, p.n, true); });
      case PairFormula::cosine:
        return of_relation([&] { return cosine_of<T>(g); });
      case PairFormula::average:
        return weighted_mean<T>(g, p);
      case PairFormula::none:
        break;
    }
    return Real::nan();
  });
}

}  // namespace onefold
