// Logarithms of sums of exponentials by f64 and by pairs of f64, with bounds of their errors.
#pragma once

#include "onefold/core/exponential/lane.hpp"

namespace onefold {

// A number as high + low.
struct DoublePair {
  double high, low;
};
// Adds x to a sum of f64, with an error of 2^-104 of the sum.
ONEFOLD_FN inline void add_pair(DoublePair& sum, DoublePair x) {
  const auto s = two_sum<OneLane>(sum.high, x.high);
  const auto r = two_sum<OneLane>(s.sum, s.rest + (sum.low + x.low));
  sum = {r.sum, r.rest};
}
// Does so in fewer steps: errors of 2^-53 of the low word add up, so for some hundred numbers.
ONEFOLD_FN inline void add_quickly(DoublePair& sum, QuickPair<ExponentialLane> x) {
  const auto s = two_sum<ExponentialLane>(sum.high, x.sum);
  sum = {s.sum, sum.low + (s.rest + x.rest)};
}

// The sum of e^(x - greatest) over a row: at_greatest elements equal to it, each of which counts 1,
// and `others`. -inf counts 0, other elements below greatest - 700 as e^-700.
struct RowSum {
  DoublePair others{0, 0};
  double at_greatest = 0;
};

// What the elements of softmax and log_softmax are computed with.
struct RowLog {
  double greatest = 0;
  // The logarithm of the sum of e^(x - greatest), with bounds for log_high alone and for both.
  double log_high = 0, log_low = 0, quick_error = 0, pair_error = 0;
  double quotient_error = 0;  // relative, of softmax by pairs
  bool is_positive = false;   // the logarithm is known to be: its sum has the greatest element
  // 1 / the sum, with relative errors below 2^-44 (of quick_logs 2^-44.6) and 2^-85.
  double inverse_high = 0, inverse_low = 0;
};

// Returns 2 atanh(s), |s| < 0.21, with a relative error below 2^-51 beside that of s: the series
// up to s^23, of which the next term is below 2^-58.
ONEFOLD_FN inline double twice_atanh(double s) {
  constexpr double inverse[] = {1. / 3,  1. / 5,  1. / 7,  1. / 9,  1. / 11, 1. / 13,
                                1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23, 0};
  // Two chains, of which each waits half as long.
  const double z = s * s, w = z * z;
  double even = inverse[10], odd = inverse[11];
  for (int k = 8; k >= 0; k -= 2) {
    even = even * w + inverse[k];
    odd = odd * w + inverse[k + 1];
  }
  const double p = even + odd * z;
  return 2 * (s + s * z * p);
}

// Returns ln v for a normal v > 0, with a relative error below 2^-49: v = 2^k f, f within
// sqrt(1/2) .. sqrt(2).
ONEFOLD_FN inline double quick_log(double v) {
  const auto bits = bit_cast<uint64_t>(v);
  int k = static_cast<int>(bits >> 52) - 1023;
  double f = bit_cast<double>((bits & ~uint64_t{0} >> 12) | uint64_t{1023} << 52);
  if (f > 1.4142135) {
    f *= 0.5;
    ++k;
  }
  return k * 0x1.62e42fefa39efp-1 + twice_atanh((f - 1) / (f + 1));
}

// Computes what RowLog has from a row of n elements: by one f64, or by pairs.
ONEFOLD_FN inline RowLog quick_logs(const RowSum& sum, double greatest, Size n) {
  const double r = sum.others.high + sum.others.low, all = sum.at_greatest + r;
  const bool near_one = sum.at_greatest == 1 && r < 0.25;
  const double log = near_one ? twice_atanh(r / (2 + r)) : quick_log(all);
  const double of_sum = r / all < 0.25 ? r / all * 0x1.01p-43 : 0x1.6p-45;
  const double lost = of_sum + log * 0x1p-49 + static_cast<double>(n) * 0x1p-1009;
  return {.greatest = greatest,
          .log_high = log,
          .log_low = 0,
          .quick_error = lost,
          .pair_error = lost,
          .inverse_high = 1 / all,
          .inverse_low = 0};
}

// Computes what RowLog has from the sum of e^x, with 0 for the greatest element: by one f64.
//   sum     with a relative error below 2^-44, 2^-865 < sum < 2^865
ONEFOLD_FN inline RowLog direct_logs(double sum) {
  const double log = quick_log(sum), lost = 0x1p-44 + OneLane::abs(log) * 0x1p-48;
  return {.greatest = 0,
          .log_high = log,
          .log_low = 0,
          .quick_error = lost,
          .pair_error = lost,
          .quotient_error = 0,
          .is_positive = false,
          .inverse_high = 1 / sum,
          .inverse_low = 0};
}

// Returns ln(1 + r) of r < 2^-14 by its series, with a relative error below 2^-78.
ONEFOLD_FN inline DoublePair log_near_one(double r, double low) {
  constexpr double inverse[] = {1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8, 1. / 9};
  double p = 0.1;
  for (int k = 6; k >= 0; --k) p = inverse[k] - r * p;
  const auto square = OneLane::product(r, r);
  const auto s = two_sum<OneLane>(r, -0.5 * square.sum);
  return {s.sum, s.rest + (low - r * low - 0.5 * square.rest + r * square.sum * p)};
}

//   tables  words of powers (powers.hpp)
template <class Tables>
ONEFOLD_FN RowLog pair_logs(const RowSum& sum, double greatest, Size n, const Tables& tables) {
  const auto r = two_sum<OneLane>(sum.others.high, sum.others.low);
  const auto first = two_sum<OneLane>(sum.at_greatest, r.sum);
  const auto all = two_sum<OneLane>(first.sum, first.rest + r.rest);
  // What is left out below e^-700, and sums of parts of the row.
  const double cut = static_cast<double>(n) * 0x1p-1009, parts = static_cast<double>(n) * 0x1p-122;
  RowLog row;
  row.is_positive = sum.at_greatest != 0;
  row.quotient_error = 0x1p-83 + parts;
  row.greatest = greatest;
  row.inverse_high = 1 / all.sum;
  const double left = OneLane::residue(1, row.inverse_high, all.sum) - row.inverse_high * all.rest;
  row.inverse_low = left * row.inverse_high;
  if (sum.at_greatest == 1 && r.sum < 0x1p-14) {
    const DoublePair log = log_near_one(r.sum, r.rest);
    row.log_high = log.high;
    row.log_low = log.low;
    row.pair_error = log.high * (0x1p-78 + parts) + cut;
  } else {
    // ln s = y + ln(s e^-y), whose s e^-y - 1 is below 2^-42; of sums with 0 for the
    // greatest element 2^-39.8.
    const double y = quick_log(all.sum);
    const auto e = pair_exp<ExponentialLane>(-y, 0, tables);
    const auto p = OneLane::product(all.sum, e.sum);
    const double t = (p.sum - 1) + (p.rest + (all.sum * e.rest + all.rest * e.sum));
    row.log_high = y;
    row.log_low = t - 0.5 * t * t;
    row.pair_error = 0x1p-84 + parts + cut;
  }
  // log_low is left out where log_high is used alone.
  row.quick_error = row.pair_error + OneLane::abs(row.log_low) * 1.01;
  return row;
}

}  // namespace onefold
