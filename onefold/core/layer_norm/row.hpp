// What the elements of rms_norm and layer_norm are computed with: numbers of their row, with bounds
// of their errors.
#pragma once

#include "onefold/core/exponential/logarithm.hpp"

namespace onefold {

// Of a row's elements less a pivot: their sum, and that of their squares.
struct Deviations {
  DoublePair sum{0, 0}, squares{0, 0};
};
// Their errors, relative to the sum of squares, and of `sum` to sqrt(n squares): of one f64 an
// element, where chains of at most 265 operations end in a pair, and of pairs.
inline constexpr double quick_deviation_error = 0x1.2p-45, pair_deviation_error = 0x1p-85;

// An element x is (x - pivot - mean) scale w + b; scale = 1 / sqrt(variance + eps).
struct NormRow {
  double pivot = 0, mean_high = 0, mean_low = 0, scale_high = 0, scale_low = 0;
  double mean_error = 0, scale_error = 0;  // absolute; relative
  bool is_known = false;                   // otherwise nothing else is
  // An element of layer_norm that is computed by one f64, without the low words, has an error of at
  // most |w| (slope |x - pivot| + offset), and 2^-51 of itself.
  ONEFOLD_FN double slope() const { return scale_high * (scale_error + 0x1p-49); }
  ONEFOLD_FN double offset() const {
    return scale_high * (mean_error + OneLane::abs(mean_high) * (scale_error + 0x1p-49));
  }
};

// Returns 1 / sqrt(v), with a relative error below 2^-51.
ONEFOLD_FN inline double inverse_root(double v) {
#if defined(__CUDA_ARCH__)
  return rsqrt(v);
#else
  return 1 / square_root(v);
#endif
}

// By one f64, of deviations of types narrower than f64; the low words are 0.
//   inverse_n  1 / the number of elements
//   centred    the mean is subtracted (layer_norm)
//   error      of the deviations
ONEFOLD_FN inline NormRow quick_norm_row(const Deviations& s, double pivot, double inverse_n,
                                         double eps, bool centred, double error) {
  const double square = (s.squares.high + s.squares.low) * inverse_n;
  NormRow row;
  row.pivot = pivot;
  double v = square, lost = square * (error + 0x1p-50);
  if (centred) {
    row.mean_high = (s.sum.high + s.sum.low) * inverse_n;
    v = OneLane::fused(-row.mean_high, row.mean_high, square);
    lost *= 3.125;  // |mean| is at most the root of the mean square
  }
  const double all = v + eps, r = inverse_root(all);
  lost += all * 0x1p-52;
  row.scale_high = r;
  row.scale_error = lost * r * r * 0.66 + 0x1p-50;
  // The root of the mean square is at most that of the variance + |mean|.
  const double mean = OneLane::abs(row.mean_high);
  row.mean_error = square == 0 ? 0 : (all * r + mean) * error * 1.01 + mean * 0x1p-50;
  row.is_known = all > 4 * lost && all > 0x1p-900 && all < 0x1p900;
  return row;
}

// Returns 1 / n as a pair.
ONEFOLD_FN inline DoublePair inverse_pair(Size count) {
  const auto n = static_cast<double>(count);
  const double q = 1 / n;
  return {q, OneLane::residue(1, q, n) / n};
}

// By pairs.
//   inverse_n  inverse_pair of the number of elements
//   tiny       what the mean of the squares may have lost below the least f64
ONEFOLD_FN inline NormRow norm_row(const Deviations& s, double pivot, const DoublePair& inverse_n,
                                   double eps, bool centred, double error, double tiny) {
  // With a relative error below 2^-102.
  const auto over_n = [&](const DoublePair& v) {
    const auto all = two_sum<OneLane>(v.high, v.low);
    const auto q = OneLane::product(all.sum, inverse_n.high);
    const double rest = OneLane::fused(all.sum, inverse_n.low, all.rest * inverse_n.high);
    return two_sum<OneLane>(q.sum, q.rest + rest);
  };
  NormRow row;
  row.pivot = pivot;
  const auto square = over_n(s.squares);
  auto v = square;
  double lost = square.sum * error + tiny;
  if (centred) {
    const auto mean = over_n(s.sum);
    row.mean_high = mean.sum;
    row.mean_low = mean.rest;
    const auto p = OneLane::product(mean.sum, mean.sum);
    v = two_sum<OneLane>(square.sum, -p.sum);
    v.rest += (square.rest - p.rest) - 2 * mean.sum * mean.rest;
    lost *= 3.125;  // |mean| is at most the root of the mean square
  }
  const auto w = two_sum<OneLane>(v.sum, eps);
  const auto all = two_sum<OneLane>(w.sum, w.rest + v.rest);
  lost += (square.sum + eps) * 0x1p-98;
  row.is_known = all.sum > 4 * lost && all.sum > 0x1p-900 && all.sum < 0x1p900;
  // One step of Newton's iteration; what it leaves out is below 2^-101.
  const double r = inverse_root(all.sum);
  const auto p = OneLane::product(r, r), t = OneLane::product(all.sum, p.sum);
  const double e = ((1 - t.sum) - t.rest) - (all.sum * p.rest + all.rest * p.sum);
  row.scale_high = r;
  row.scale_low = r * e * 0.5;
  row.scale_error = OneLane::fused(lost * r * r, 0.66, 0x1p-98);
  if (centred && (square.sum != 0 || tiny != 0)) {
    // The root of the mean square is at most that of the variance + |mean|.
    const double mean = OneLane::abs(row.mean_high), least = tiny == 0 ? 0 : 0x1p-530;
    row.mean_error = (all.sum * r + mean + least) * (error * 1.2) + mean * 0x1p-100;
  }
  return row;
}

}  // namespace onefold
