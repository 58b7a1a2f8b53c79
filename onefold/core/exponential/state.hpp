// What is known of the sum of e^x over a part of the elements: whole numbers, which merge in any
// order, so that a set has the same words however it was cut.
//
//   term    x is base + r, where base is 16 floor(x / 16), which an f64 holds exactly, and r, of
//           0 .. 16, the exact sum of two f64. e^r is a pair of f64 by pair_exp, whose bits are
//           those of IEEE arithmetic anywhere, and is cut off to units of 2^-88: a relative error
//           below 2^-87
//   bins    the terms of a base are added as integers. The bins of the greatest element's base and
//           of the five below are kept, the others dropped: what is kept depends on the set alone.
//           What was dropped is below n e^-80 = n 2^-115 of the sum
//   answer  by pairs of f64 with the bound of pair_logs; what that does not decide is undecided
//   room    terms are below 2^24, and counts together at most 2^53, which an f64 holds
#pragma once

#include "onefold/core/exponential/rounding.hpp"
#include "onefold/core/status.hpp"

namespace onefold {

inline constexpr int state_bins = 6, state_limbs = 3, state_unit = -88;
inline constexpr double state_width = 16;

struct ExponentialState {
  uint64_t nan = 0, highest = 0, lowest = 0;  // numbers of NaN, +inf and -inf
  uint64_t finite = 0, at_greatest = 0;  // of finite elements, and of those equal to `greatest`
  double greatest = 0, least = 0;        // of finite elements; of zeros +0 is the greater one
  uint64_t bin[state_bins][state_limbs] = {};  // from the base of `greatest` downwards

  ONEFOLD_FN uint64_t count() const { return nan + highest + lowest + finite; }
};
static_assert(sizeof(ExponentialState) == 25 * sizeof(uint64_t));

ONEFOLD_FN inline double base_of(double x) {
  return ExponentialLane::floor(x / state_width) * state_width;
}
// Returns which bin from `top` downwards has this base; none: state_bins.
ONEFOLD_FN inline int bin_of(double top, double base) {
  const double below = (top - base) / state_width;  // exact where it is small
  return below < state_bins ? static_cast<int>(below) : state_bins;
}
// Returns the nearest f64 to high + low, and the rest cut off, in units; 1 <= high < 2^24, |low| <
// high.
ONEFOLD_FN inline Uint128 units_of(double high, double low) {
  const double sum = high + low, left = low - (sum - high);  // |left| < 2^-29
  const auto bits = bit_cast<uint64_t>(sum);
  constexpr int bias = 1023 + 52 + state_unit;  // of the exponent of the lowest bit of a unit
  const int up = static_cast<int>(bits >> 52) - bias;  // 35 .. 59
  const uint64_t digits = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  const Uint128 units = (static_cast<Uint128>(digits >> (64 - up)) << 64) | digits << up;
  const auto rest = static_cast<int64_t>(left * power_of_two(-state_unit));
  return units + static_cast<Uint128>(static_cast<Int128>(rest));
}

namespace detail {

ONEFOLD_FN inline void add_limbs(uint64_t* a, const uint64_t* b) {
  uint64_t carry = 0;
  for (int i = 0; i < state_limbs; ++i) {
    const uint64_t s = a[i] + b[i], t = s + carry;
    carry = (s < b[i]) | (t < s);
    a[i] = t;
  }
}
// Of zeros +0 is the greater one.
ONEFOLD_FN inline bool is_above(double a, double b) {
  return a > b || (a == b && (bit_cast<uint64_t>(a) >> 63) < (bit_cast<uint64_t>(b) >> 63));
}

}  // namespace detail

// Adds what is known of other elements.
ONEFOLD_FN inline void merge(ExponentialState& a, const ExponentialState& b) {
  a.nan += b.nan;
  a.highest += b.highest;
  a.lowest += b.lowest;
  if (b.finite == 0) return;
  const bool first = a.finite == 0;
  const double top = first || b.greatest > a.greatest ? base_of(b.greatest) : base_of(a.greatest);
  const int down = first ? state_bins : bin_of(top, base_of(a.greatest));
  for (int k = state_bins; k-- > 0;) {
    for (int i = 0; i < state_limbs; ++i) {
      a.bin[k][i] = k >= down ? a.bin[k - down][i] : uint64_t{0};
    }
  }
  const int up = bin_of(top, base_of(b.greatest));
  for (int k = up; k < state_bins; ++k) detail::add_limbs(a.bin[k], b.bin[k - up]);
  const bool same = !first && a.greatest == b.greatest, above = first || b.greatest > a.greatest;
  a.at_greatest = same ? a.at_greatest + b.at_greatest : above ? b.at_greatest : a.at_greatest;
  if (first || detail::is_above(b.greatest, a.greatest)) a.greatest = b.greatest;
  if (first || detail::is_above(a.least, b.least)) a.least = b.least;
  a.finite += b.finite;
}

namespace detail {

// Returns a bin as a pair, with a relative error below 2^-103.
ONEFOLD_FN inline DoublePair pair_of_bin(const uint64_t* limb) {
  DoublePair sum{0, 0};
  for (int i = 2 * state_limbs; i-- > 0;) {
    const auto half = static_cast<double>(limb[i / 2] >> 32 * (i % 2) & 0xffffffff);
    add_pair(sum, {half * power_of_two(32 * i + state_unit), 0});
  }
  return sum;
}

}  // namespace detail

// Rounds ln(sum of e^x) of finite elements or, if `mean`, of the sum divided by n, to a T.
//   n        elements, with those of -inf
//   returns  whether it is decided
template <class T, class Tables>
ONEFOLD_FN bool state_log_bits(const ExponentialState& s, Size n, bool mean, const Tables& tables,
                               uint64_t* bits) {
  RowSum sum;
  double reference = s.greatest, dropped = 0;
  if (s.at_greatest == s.finite) {
    sum.at_greatest = static_cast<double>(s.finite);
  } else {
    reference = base_of(s.greatest);
    ExponentialState rest = s;
    if (s.greatest == 0) {  // then they count 1 each
      sum.at_greatest = static_cast<double>(s.at_greatest);
      const auto less = static_cast<Uint128>(s.at_greatest) << (-state_unit - 64);
      const Uint128 minus = static_cast<Uint128>(uint64_t{0}) - less;
      const uint64_t limb[] = {0, static_cast<uint64_t>(minus), static_cast<uint64_t>(minus >> 64)};
      detail::add_limbs(rest.bin[0], limb);
    }
    for (int k = 0; k < state_bins; ++k) {
      const auto bin = detail::pair_of_bin(rest.bin[k]);
      const auto e = pair_exp<ExponentialLane>(-state_width * k, 0, tables);
      const auto p = OneLane::product(bin.high, e.sum);
      add_pair(sum.others, {p.sum, p.rest + (bin.high * e.rest + bin.low * e.sum)});
    }
    if (s.least < reference - (state_bins - 1) * state_width) {
      dropped = static_cast<double>(s.finite) * 0x1.01p-115;
    }
  }
  RowLog row = pair_logs(sum, reference, s.finite, tables);
  row.pair_error += dropped;
  return log_of_sum_bits<T>(row, n, mean, true, tables, bits);
}

// Answers what is known of elements of type T under a NaN policy, as bits of a T.
template <class T, class Tables>
ONEFOLD_FN Status answer_of_state(const ExponentialState& s, bool mean, NanPolicy policy,
                                  const Tables& tables, uint64_t* bits) {
  constexpr FloatFormat f = float_format(dtype_of<T>);
  const uint64_t n = s.count() - s.nan;
  *bits = f.nan();
  if (s.nan != 0 && policy != NanPolicy::omit) {
    return policy == NanPolicy::raise ? Status::nan_found : Status::ok;
  }
  if (n == 0) {
    if (!mean) *bits = f.sign() | f.infinity();
    return Status::ok;
  }
  if (s.highest != 0 || s.finite == 0) {
    *bits = f.infinity() | (s.highest != 0 ? 0 : f.sign());
    return Status::ok;
  }
  const bool equal = s.at_greatest == s.finite;
  if (equal && s.finite == (mean ? n : 1)) {  // the element itself; +0 for zeros of both signs
    const double v = s.finite == 1 ? s.greatest : s.greatest + 0.0;
    *bits = bit_cast<bits_of<T>>(from_double<T>(v));
    return Status::ok;
  }
  if (state_log_bits<T>(s, n, mean, tables, bits)) return Status::ok;
  *bits = f.nan();
  return Status::undecided;
}

}  // namespace onefold
