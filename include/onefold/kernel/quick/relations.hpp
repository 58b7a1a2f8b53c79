// Decides cov, corr, cosine, slope, intercept and average of two arrays of up to 32 bits. It uses
// up to five plain f64 sums and an error bound.
//
//   e        a sum's error is at most e times the sum of its terms' magnitudes (Bound::relative)
//   a, b     roots of the sums of squares: magnitudes of products sum to at most a b, magnitudes of
//            elements to at most sqrt(n) a
//   cross    the error of n P - Sx Sy is at most that of each sum times the other factor: e n a b
//            from P, e sqrt(n) (|Sx| b + |Sy| a) from Sx and Sy. 1 / 16 more covers e^2 n a b and
//            roundings, which are relative to the difference, or to 2^-53 of its parts
//   open     an answer is undecided if its divisor is below 64 times the divisor's error, or if it
//            may be 0
#pragma once

#include "onefold/kernel/quick/decide.hpp"

namespace onefold::kernel {

struct Near {
  double value, error;
};
// One sum in one word or two, then the sums of pairs; sums that an op does not need stay 0.
struct Total {
  double high = 0, low = 0;
};
struct PairTotals {
  Total xy, xx, yy, x, y;
};
// Returns a b - c d, within the error of its sums. For two words, the product of both low words is
// left out, which is 2^-106 of the whole; high products leave errors of 2^-99.
template <bool wide>
ONEFOLD_KERNEL Near cross(const Total& a, const Total& b, const Total& c, const Total& d,
                          double error) {
  const auto cd = OneLane::product(c.high, d.high);
  if constexpr (!wide) return {fused(a.high, b.high, -cd.sum) - cd.rest, error};
  const auto ab = OneLane::product(a.high, b.high), v = two_sum<OneLane>(ab.sum, -cd.sum);
  const double low = fused(a.high, b.low, a.low * b.high) - fused(c.high, d.low, c.low * d.high);
  return {v.sum + (v.rest + (ab.rest - cd.rest) + low), error};
}
ONEFOLD_KERNEL Near quotient_of(const Near& a, const Near& b) {
  const double size = absolute(b.value), v = a.value / b.value;
  const bool sure = b.error * 64 < size;
  const double error = 1.1 * (a.error + absolute(v) * b.error) / size;
  return {v, sure ? error : OneLane::infinity()};
}
// Returns the square root of b c, which are not negative.
ONEFOLD_KERNEL Near mean_of(const Near& b, const Near& c) {
  const double v = square_root(b.value * c.value);
  const bool sure = b.error * 64 < b.value && c.error * 64 < c.value;
  return {v, sure ? 0.6 * v * (b.error / b.value + c.error / c.value) : OneLane::infinity()};
}

//   e   the error of a sum, relative to its terms' magnitudes
template <Recipe::Name name, bool wide>
ONEFOLD_KERNEL Near relation_of(const PairTotals& s, const Making& made, double e) {
  using enum Recipe::Name;
  constexpr double up = 1 + 0x1p-20;
  const double n = made.formula.elements, xx = s.xx.high, yy = s.yy.high, a = square_root(xx) * up,
               b = square_root(yy) * up, root_n = square_root(n) * up, more = e * (1 + 0x1p-4),
               sx = absolute(s.x.high), sy = absolute(s.y.high);
  const Near p{s.xy.high, e * a * b}, qx{xx, e * xx * up}, qy{yy, e * yy * up};
  const auto common = [&] {
    return cross<wide>({n}, s.xy, s.x, s.y, more * (n * a * b + root_n * (sx * b + sy * a)));
  };
  const auto spread_of = [&](const Total& square, const Total& sum, double size, double root) {
    return cross<wide>({n}, square, sum, sum,
                       more * (n * size + 2 * root_n * root * absolute(sum.high)));
  };
  const auto spread_x = [&] { return spread_of(s.xx, s.x, xx, a); };
  if constexpr (name == cosine) {
    return quotient_of(p, mean_of(qx, qy));
  } else if constexpr (name == weighted_mean) {
    return quotient_of(p, {s.y.high, e * root_n * b});
  } else if constexpr (name == common_spread) {
    const Near c = common();
    return {c.value * made.scale, c.error * made.scale * up};
  } else if constexpr (name == correlation) {
    return quotient_of(common(), mean_of(spread_x(), spread_of(s.yy, s.y, yy, b)));
  } else if constexpr (name == slope) {
    return quotient_of(common(), spread_x());
  } else {
    static_assert(name == intercept);
    const double error = (sy + root_n * b) * xx + (sx * b + absolute(s.xy.high) * root_n) * a;
    return quotient_of(cross<wide>(s.y, s.xx, s.x, s.xy, more * error), spread_x());
  }
}

template <class T, Recipe::Name name, bool wide = false>
ONEFOLD_KERNEL Decided<T> decide_relation(const PairTotals& s, const Making& made, double e) {
  const Near r = relation_of<name, wide>(s, made, e);
  Decided<T> d = decide_near<T, false>(r.value, r.error, 1);
  d.decided = d.decided && r.value != 0;
  return d;
}

}  // namespace onefold::kernel
