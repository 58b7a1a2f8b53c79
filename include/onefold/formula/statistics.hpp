// The formulas of statistics over sums, each written once. They are evaluated by long integers,
// and by quick numbers with error bounds.
//
//   s       a view of sums: s(term) returns one as an S::Number. s(one) is the number of elements,
//           or the sum of their weights. is_negative(n) says the sign of a number
//   exact   a formula only adds, multiplies and compares with 0; the quotient is the caller's
#pragma once

#include "onefold/base.hpp"

namespace onefold::formula {

// Sums of products of these factors; `squared_difference` is (x - y)^2, `distance` |x - y|.
enum Term : uint8_t { one, x, y, xx, yy, xy, squared_difference, distance, xxx, xxxx, term_count };

// a / b times 2^(units of an element), or its square root; (-1)^negative times that.
template <class N>
struct Ratio {
  N a, b;
  int units = 0;
  bool root = false, negative = false;
};

// n sum a b - sum a sum b.
template <class N>
ONEFOLD_FN constexpr N spread_of(const N& n, const N& ab, const N& a, const N& b) {
  return n * ab - a * b;
}
template <class S>
ONEFOLD_FN constexpr auto spread(const S& s, Term a, Term b, Term ab) {
  return spread_of(s(one), s(ab), s(a), s(b));
}
template <class S>
ONEFOLD_FN constexpr auto spread_x(const S& s) {
  return spread(s, x, x, xx);
}
// a / sqrt(b).
template <class S>
ONEFOLD_FN constexpr auto over_root(const S& s, const typename S::Number& a,
                                    const typename S::Number& b) {
  return Ratio<typename S::Number>{a * a, b, 0, true, s.is_negative(a)};
}

// spread / (n (n - k)), for ddof k = s.taken() / s.factor().
template <class S>
ONEFOLD_FN constexpr auto covariance(const S& s, Term a, Term b, Term ab) {
  using N = typename S::Number;
  const N n = s(one);
  return Ratio<N>{spread(s, a, b, ab) * s.factor(), n * (n * s.factor() - s.taken()), 2};
}
template <class S>
ONEFOLD_FN constexpr auto correlation(const S& s) {
  return over_root(s, spread(s, x, y, xy), spread_x(s) * spread(s, y, y, yy));
}
template <class S>
ONEFOLD_FN constexpr auto cosine(const S& s) {
  return over_root(s, s(xy), s(xx) * s(yy));
}
template <class S>
ONEFOLD_FN constexpr auto slope(const S& s) {
  return Ratio<typename S::Number>{spread(s, x, y, xy), spread_x(s)};
}
template <class S>
ONEFOLD_FN constexpr auto intercept(const S& s) {
  return Ratio<typename S::Number>{s(y) * s(xx) - s(x) * s(xy), spread_x(s), 1};
}
// The mean of x with y as weights.
template <class S>
ONEFOLD_FN constexpr auto weighted_mean(const S& s) {
  return Ratio<typename S::Number>{s(xy), s(y), 1};
}

// n^2 times the sum of cubes of the deviations from the mean. `square`: spread_x.
template <class S, class N>
ONEFOLD_FN constexpr N third_moment(const S& s, const N& square) {
  const N d = s(x) * square;
  return s(one) * spread(s, x, xx, xxx) - (d + d);
}
// n^3 times the sum of their fourth powers, less 3 n^2 times the squared sum of their squares.
template <class S, class N>
ONEFOLD_FN constexpr N fourth_excess(const S& s, const N& square) {
  const N third = (s(x) * s(x) - square) * square - s(one) * (s(x) * spread(s, x, xx, xxx));
  return s(one) * (s(one) * spread(s, x, xxx, xxxx)) + (third + third + third);
}
// m3 / m2^(3/2) of the central moments m2, m3.
template <class S>
ONEFOLD_FN constexpr auto skewness(const S& s) {
  const typename S::Number square = spread_x(s);
  return over_root(s, third_moment(s, square), square * square * square);
}
// m4 / m2^2 - 3.
template <class S>
ONEFOLD_FN constexpr auto kurtosis(const S& s) {
  const typename S::Number square = spread_x(s);
  return Ratio<typename S::Number>{fourth_excess(s, square), square * square};
}

}  // namespace onefold::formula
