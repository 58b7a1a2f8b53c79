// What two arrays of up to 32 bits have in common, decided from five plain sums in f64 and a bound.
//
//   e        each sum errs by e times the sum of the magnitudes of its terms (Bound::relative)
//   a, b     roots of the sums of squares: the magnitudes of products sum to at most a b, those of
//            elements to at most sqrt(n) a
//   common   n P - Sx Sy errs by at most 5 e n a b: 3 by its sums, 1 by its four roundings, for e
//            is six of them, and 1 to spare; n Q - S^2 and Sy Qx - Sx P likewise
//   open     what is divided by less than 64 times its error, or is 0 as far as sums tell
#pragma once

#include "onefold/kernel/quick/decide.hpp"

namespace onefold::kernel {

struct Near {
  double value, error;
};
// a b - c d, give or take what the sums err by.
ONEFOLD_KERNEL Near cross(double a, double b, double c, double d, double error) {
  const double cd = c * d;
  return {fused(a, b, -cd) - fused(c, d, -cd), error};
}
ONEFOLD_KERNEL Near quotient_of(const Near& a, const Near& b) {
  const double size = absolute(b.value), v = a.value / b.value;
  const bool sure = b.error * 64 < size;
  const double error = 1.1 * (a.error + absolute(v) * b.error) / size;
  return {v, sure ? error : OneLane::infinity()};
}
// The root of b c, which are not negative.
ONEFOLD_KERNEL Near mean_of(const Near& b, const Near& c) {
  const double v = square_root(b.value * c.value);
  const bool sure = b.error * 64 < b.value && c.error * 64 < c.value;
  return {v, sure ? 0.6 * v * (b.error / b.value + c.error / c.value) : OneLane::infinity()};
}

//   e   what a sum errs by, relative to its magnitudes
template <Recipe::Name name, class All>
ONEFOLD_KERNEL Near relation_of(const All& t, const Making& made, double e) {
  using enum Recipe::Name;
  constexpr double up = 1 + 0x1p-20;
  const double n = made.formula.elements, xx = t.left_square.high, yy = t.right_square.high,
               xy = t.product.high, ab = square_root(xx) * square_root(yy) * up;
  const Near p{xy, e * ab * up}, qx{xx, e * xx * up}, qy{yy, e * yy * up};
  if constexpr (name == cosine) return quotient_of(p, mean_of(qx, qy));
  if constexpr (All::asked.right_sum) {
    const double y = t.right.high, root_n = square_root(n) * up, b = square_root(yy) * up;
    if constexpr (name == weighted_mean) return quotient_of(p, {y, e * root_n * b});
    if constexpr (All::asked.left_sum) {
      const double x = t.left.high, five = 5 * e * up;
      const Near common = cross(n, xy, x, y, five * n * ab), sx = cross(n, xx, x, x, five * n * xx),
                 sy = cross(n, yy, y, y, five * n * yy);
      if constexpr (name == common_spread) {
        return {common.value * made.scale, common.error * made.scale * up};
      } else if constexpr (name == correlation) {
        return quotient_of(common, mean_of(sx, sy));
      } else if constexpr (name == slope) {
        return quotient_of(common, sx);
      } else if constexpr (name == intercept) {
        return quotient_of(cross(y, xx, x, xy, five * root_n * b * xx), sx);
      }
    }
  }
}

template <class T, Recipe::Name name, class All>
ONEFOLD_KERNEL Decided<T> decide_relation(const All& t, const Making& made, double e) {
  const Near r = relation_of<name>(t, made, e);
  Decided<T> d = decide_near<T, false>(r.value, r.error, 1);
  d.decided = d.decided && r.value != 0;
  return d;
}

}  // namespace onefold::kernel
