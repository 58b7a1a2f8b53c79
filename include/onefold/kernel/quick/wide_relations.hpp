// Decides cov, corr, cosine, slope, intercept and average to f64: of arrays of f64, and of integers
// up to 32 bits. The same bounds as for narrower types (relations.hpp), in numbers of two words.
//
//   steps    an operation on two words errs by less than 2^-98 of its result, or of what it
//            subtracts
//   exact    sums of integers that are small enough, so that 0 and no spread are decided, too
//   open     an answer is undecided also where squares may underflow or overflow
#pragma once

#include "onefold/kernel/quick/relations.hpp"

namespace onefold::kernel {

inline constexpr double wide_step = 0x1p-98;

// high + low, give or take `error`.
struct Wide {
  double high, low = 0, error = 0;

  ONEFOLD_KERNEL static Wide of(double high, double low, double error) {
    const auto s = two_sum<OneLane>(high, low);
    return {s.sum, s.rest, error};
  }
  ONEFOLD_KERNEL static Wide of(const Total& t, double error) { return of(t.high, t.low, error); }
  ONEFOLD_KERNEL bool is_zero() const { return high == 0 && error == 0; }
  ONEFOLD_KERNEL double size() const { return absolute(high); }
};
// Without the error.
ONEFOLD_KERNEL Wide product_of(const Wide& a, const Wide& b) {
  const auto p = OneLane::product(a.high, b.high);
  return Wide::of(p.sum, fused(a.high, b.low, fused(a.low, b.high, p.rest)), 0);
}
ONEFOLD_KERNEL Wide difference_of(const Wide& a, const Wide& b, double error) {
  const auto s = two_sum<OneLane>(a.high, -b.high), t = two_sum<OneLane>(a.low, -b.low);
  const auto u = two_sum<OneLane>(s.sum, s.rest + t.sum);
  return Wide::of(u.sum, u.rest + t.rest, error);
}
ONEFOLD_KERNEL double no_number() { return bit_cast<double>(uint64_t{0x7ff8} << 48); }
// NaN where b is 0, and infinitely uncertain where b may be.
ONEFOLD_KERNEL Wide quotient_of(const Wide& a, const Wide& b) {
  const double q = a.high / b.high, rest = fused(-q, b.high, a.high) + fused(-q, b.low, a.low),
               error = 1.1 * (a.error + absolute(q) * b.error) / b.size() + absolute(q) * wide_step;
  if (b.is_zero()) return {no_number()};
  if (a.is_zero()) return {0};
  const bool sure = b.error * 64 < b.size();
  return Wide::of(q, rest / b.high, sure ? error : OneLane::infinity());
}
// Of what is not negative.
ONEFOLD_KERNEL Wide root_of(const Wide& a) {
  if (a.is_zero()) return {0};
  const double r = square_root(a.high), rest = fused(-r, r, a.high) + a.low;
  const bool sure = a.error * 64 < a.high;
  return Wide::of(r, rest / (2 * r),
                  sure ? r * (0.6 * a.error / a.high + wide_step) : OneLane::infinity());
}
// The root of a b.
ONEFOLD_KERNEL Wide mean_of(const Wide& a, const Wide& b) {
  const Wide r = root_of(a), s = root_of(b);
  Wide p = product_of(r, s);
  p.error = 1.1 * (r.error * s.size() + s.error * r.size()) + p.size() * wide_step;
  return p;
}

//   e      what a sum errs by, relative to the magnitudes of its terms
//   step   what an operation errs by; 0 if all sums are exact, and their differences
template <Recipe::Name name>
ONEFOLD_KERNEL Wide wide_relation(const PairTotals& s, const QuickFormula& f, double e,
                                  double step) {
  using enum Recipe::Name;
  constexpr double up = 1 + 0x1p-20;
  const double n = f.elements, xx = s.xx.high * up, yy = s.yy.high * up, a = square_root(xx),
               b = square_root(yy), root_n = square_root(n), five = (5 * e + step) * up;
  const Wide count{n}, p = Wide::of(s.xy, e * a * b), qx = Wide::of(s.xx, e * xx),
                       qy = Wide::of(s.yy, e * yy), x = Wide::of(s.x, 0), y = Wide::of(s.y, 0);
  const auto cross = [](const Wide& i, const Wide& j, const Wide& k, const Wide& l, double error) {
    return difference_of(product_of(i, j), product_of(k, l), error);
  };
  const auto common = [&] { return cross(count, p, x, y, five * n * a * b); };
  const auto spread_x = [&] { return cross(count, qx, x, x, five * n * xx); };
  if constexpr (name == cosine) {
    return quotient_of(p, mean_of(qx, qy));
  } else if constexpr (name == weighted_mean) {
    return quotient_of(p, Wide::of(s.y, e * root_n * b));
  } else if constexpr (name == common_spread) {
    Wide c = common();
    const double error = c.error;
    c = product_of(c, {f.factor});
    c.error = error * f.factor + c.size() * step;
    return quotient_of(quotient_of(c, {f.n}), {f.left});
  } else if constexpr (name == correlation) {
    return quotient_of(common(), mean_of(spread_x(), cross(count, qy, y, y, five * n * yy)));
  } else if constexpr (name == slope) {
    return quotient_of(common(), spread_x());
  } else {
    static_assert(name == intercept);
    return quotient_of(cross(y, qx, x, p, five * root_n * b * xx), spread_x());
  }
}

//   whole   elements are integers
template <Recipe::Name name, bool whole>
ONEFOLD_KERNEL Decided<double> decide_wide_relation(const PairTotals& s, const QuickFormula& f,
                                                    double e) {
  const double n = f.elements, xx = s.xx.high, yy = s.yy.high;
  // n Q, n P, S^2 and Sy Qx are below 2^100 then, as 106 bits hold them.
  const bool exact = whole && n * (xx + yy)<0x1p66, tame = xx> 0x1p-900 && yy > 0x1p-900 &&
                     xx < 0x1p900 && yy < 0x1p900;
  const Wide r = wide_relation<name>(s, f, exact ? 0 : e, exact ? 0 : wide_step);
  bool decided = false;
  const Quick<OneLane> number{r.high, r.low, 0, r.error * (1 + 0x1p-20)};
  const double v = number.decide<double>(decided);
  const bool nan = r.high != r.high, zero = r.is_zero();
  decided = decided && absolute(v) > 0x1p-900;
  return {nan ? no_number() : zero ? 0 : v, exact ? decided || nan || zero : decided && tame};
}

}  // namespace onefold::kernel
