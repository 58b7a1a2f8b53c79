// Rounds answers of rows that are known as pairs of f64.
#pragma once

#include "onefold/core/exact/real.hpp"
#include "onefold/core/exponential/logarithm.hpp"

namespace onefold {

// Not found by the namespace of an argument, since vectors have functions of the same names.
namespace one_lane {
#define ONEFOLD_QUICK_FN ONEFOLD_FN
#include "onefold/core/exponential/row_answers.inl"
#undef ONEFOLD_QUICK_FN
}  // namespace one_lane
using namespace one_lane;

template <class T>
ONEFOLD_FN double to_double(T v) {
  if constexpr (sizeof(T) >= 4) {
    return v;
  } else {
    const Decoded d = decode(v);
    if (d.nan) return bit_cast<double>(float_format(DType::f64).nan());
    const double m = d.finite() ? static_cast<double>(d.mantissa) : OneLane::infinity();
    const double magnitude = m * power_of_two(float_format(dtype_of<T>).unit + d.shift);
    return d.negative ? -magnitude : magnitude;
  }
}
// v is a T.
template <class T>
ONEFOLD_FN T from_double(double v) {
  if constexpr (sizeof(T) >= 4) {
    return static_cast<T>(v);
  } else {
    constexpr FloatFormat f = float_format(dtype_of<T>);
    const Decoded d = decode(v);
    const uint64_t sign = d.negative ? 0x8000 : 0;
    if (!d.finite()) return T{static_cast<uint16_t>(d.nan ? f.nan() : f.infinity() | sign)};
    return T{static_cast<uint16_t>(detail::round_to_float(static_cast<Uint128>(d.mantissa),
                                                          -1074 + d.shift, false, d.negative, f))};
  }
}

// Rounds 1 / c of an integer c, which may lie between two numbers.
ONEFOLD_FN inline uint64_t reciprocal(double c, FloatFormat f) {
  const auto divisor = static_cast<Uint128>(static_cast<uint64_t>(c));
  const Uint128 one = static_cast<Uint128>(uint64_t{1}) << 126, q = one / divisor;
  return detail::round_to_float(q, -126, q * divisor != one, false, f);
}

// Rounds a number with an error of at most `lost` to a T; false: not proven.
template <class T>
ONEFOLD_FN bool decided_bits(DoublePair v, double lost, uint64_t* bits) {
  const Quick<OneLane> q{v.high, v.low, 0, lost};
  bool decided = false;
  const double rounded = q.template decide<T>(decided);
  if (decided) *bits = bit_cast<bits_of<T>>(from_double<T>(rounded));
  return decided;
}

// Rounds the logarithm of a row's sum or, if `mean`, of the sum divided by n.
//   pair    the logarithm is a pair
//   tables  of pair_logs
template <class T, class Tables>
ONEFOLD_FN bool log_of_sum_bits(const RowLog& row, Size n, bool mean, bool pair,
                                const Tables& tables, uint64_t* bits) {
  auto value = two_sum<OneLane>(row.greatest, row.log_high);
  double size = OneLane::abs(row.greatest) + OneLane::abs(row.log_high),
         lost = pair ? row.pair_error : row.quick_error;
  value.rest += row.log_low;
  if (mean && pair) {
    const RowLog of_n = pair_logs({{0, 0}, static_cast<double>(n)}, 0, n, tables);
    const auto less = two_sum<OneLane>(value.sum, -of_n.log_high);
    value = {less.sum, less.rest + (value.rest - of_n.log_low)};
    size += of_n.log_high;
    lost += of_n.pair_error;
  } else if (mean) {
    const double of_n = quick_log(static_cast<double>(n));
    const auto less = two_sum<OneLane>(value.sum, -of_n);
    value = {less.sum, less.rest + value.rest};
    size += of_n;
    lost += of_n * 0x1p-49;
  }
  return decided_bits<T>({value.sum, value.rest}, lost + size * 0x1p-100, bits);
}

// Rounds (high + low) 2^power with an error below `lost`, 1 <= high < 2, to a format that may not
// hold high 2^power; false: not proven.
ONEFOLD_FN inline bool decided_below(DoublePair v, double lost, int power, FloatFormat f,
                                     uint64_t* bits) {
  constexpr int scale = 100, below = 46;  // high 2^(scale - below) is an integer
  const auto whole =
      static_cast<Uint128>(static_cast<uint64_t>(v.high * power_of_two(scale - below))) << below;
  const auto end = [&](double low) {
    const auto rest = static_cast<int64_t>(low * power_of_two(scale));
    return detail::round_to_float(whole + static_cast<Uint128>(rest), power - scale, true, false,
                                  f);
  };
  const double unit = power_of_two(-scale);  // at most what an integer cuts off
  *bits = end(v.low - lost - unit);
  return *bits == end(v.low + lost + unit);
}

// Computes an element of softmax or its logarithm by pairs, as bits of a T; false: not proven.
template <class T, class Tables>
ONEFOLD_FN bool pair_answer(double x, const RowLog& row, bool log, const Tables& tables,
                            uint64_t* bits) {
  using L = ExponentialLane;
  const auto difference = two_sum<OneLane>(x, -row.greatest);
  const QuickPair<L> d{difference.sum, difference.rest};
  if (log) {
    // Three words, since d may be halfway between two numbers, and the logarithm a tiny one, whose
    // error is as large as itself.
    double high = row.log_high, low = row.log_low, lost = row.pair_error;
    if (row.is_positive && lost >= 0.5 * high) {
      high = 2 * lost;
      low = 0;
      lost = high * (1 - 0x1p-40);
    }
    const auto s = two_sum<L>(d.sum, -high), r = two_sum<L>(s.rest, d.rest);
    const double rest = r.rest - low;
    lost += OneLane::abs(rest) * 0x1p-52;
    const Quick<OneLane> q{s.sum, r.sum, rest, lost};
    bool decided = false;
    const double rounded = q.template decide<T>(decided);
    if (decided) *bits = bit_cast<bits_of<T>>(from_double<T>(rounded));
    return decided;
  }
  if (d.sum < -900) {  // below half of the least number of any type, since the sum is at least 1
    *bits = 0;
    return true;
  }
  const auto e = pair_exp_parts<L>(d.sum, d.rest, tables);
  const auto q = pair_quotient<L>({e.high, e.low}, row);
  const auto k = static_cast<int64_t>(bit_cast<uint64_t>(e.t) - bit_cast<uint64_t>(rint_magic));
  const int exponent = static_cast<int>(bit_cast<uint64_t>(q.high) >> 52) - 1023;
  const double scale = power_of_two(-exponent);
  return decided_below({q.high * scale, q.low * scale}, q.lost * scale,
                       static_cast<int>(k >> 12) + exponent, float_format(dtype_of<T>), bits);
}

}  // namespace onefold
