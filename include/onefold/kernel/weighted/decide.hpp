// Rounds answers with weights from totals: the formulas of weighted.hpp, in numbers of two words
// with error bounds (quick/bounded.hpp).
#pragma once

#include "onefold/kernel/answer/place.hpp"
#include "onefold/kernel/quick/bounded.hpp"
#include "onefold/kernel/quick/decide.hpp"
#include "onefold/kernel/weighted/totals.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, bool repeated>
struct BoundedSums {
  using Number = Wide;
  const WeightedTotals<T, ops, repeated>& totals;
  const Correction& ddof;
  double relative;  // a sum errs by at most this times the sum of its terms' magnitudes

  ONEFOLD_KERNEL Wide operator()(Term t) const {
    if (repeated && t == Term::one) {
      const auto rounded = static_cast<double>(totals.n);
      const auto rest = static_cast<int64_t>(totals.n - static_cast<Size>(rounded));
      return Wide::of(rounded, static_cast<double>(rest), 0);
    }
    const QuickTotal& s = totals.sum[totals.place_of(t)];
    return Wide::of(s.high, s.low, s.size * relative);
  }
  ONEFOLD_KERNEL static Wide whole(double v) { return {v}; }
  ONEFOLD_KERNEL Ratio<Wide> over_freedom(const Wide& v) const {
    return formula::over_freedom(v, (*this)(Term::one),
                                 whole(static_cast<double>(ddof.denominator)),
                                 whole(static_cast<double>(ddof.numerator)));
  }
  // Returns whether an f64 holds products of up to four sums, and ddof.
  ONEFOLD_KERNEL bool is_tame() const {
    bool tame = ddof.shift == 0 && ddof.numerator < int64_t{1} << 53 &&
                ddof.numerator > -(int64_t{1} << 53);
    ONEFOLD_UNROLL
    for (const QuickTotal& s : totals.sum) {
      tame = tame && (s.size == 0 || (s.size < 0x1p200 && s.size > 0x1p-200));
    }
    return tame;
  }
};

// Stores the bits of an answer, whose address is a multiple of its size.
template <class M>
ONEFOLD_KERNEL void put_sized(M m, const Place<M>& place, Size answer, uint64_t bits,
                              Status status) {
  change_empty(place.empty_nan, place.dtype, bits, status);
  const unsigned bytes = bytes_of(place.dtype);
  if (bytes == 8) {
    m.template as<uint64_t>(place.value)[answer] = bits;
  } else if (bytes == 4) {
    m.template as<uint32_t>(place.value)[answer] = static_cast<uint32_t>(bits);
  } else if (bytes == 2) {
    m.template as<uint16_t>(place.value)[answer] = static_cast<uint16_t>(bits);
  } else {
    place.value[answer] = static_cast<uint8_t>(bits);
  }
  if (place.has_status) place.status[answer] = static_cast<uint8_t>(status);
}

struct AnswerBits {
  uint64_t bits = 0;
  bool decided = false;
  Status status = Status::ok;
};
// Rounds to type t, which is known only when the kernel runs.
ONEFOLD_KERNEL_COLD AnswerBits decide_bits(Quick<OneLane> q, DType t) {
  AnswerBits d;
  const auto as = [&]<class T>() {
    const double v = q.template decide<T>(d.decided);
    d.bits = bits_of_answer<T>(static_cast<Nearest<T>>(v));
  };
  switch (t) {
    case DType::f64:
      as.template operator()<double>();
      break;
    case DType::f32:
      as.template operator()<float>();
      break;
    case DType::f16:
      as.template operator()<float16>();
      break;
    case DType::bf16:
      as.template operator()<bfloat16>();
      break;
    default:
      break;
  }
  return d;
}
ONEFOLD_KERNEL uint64_t nan_bits_of_type(DType t) {
  uint64_t bits = 0;
  Status status = Status::empty_input;
  change_empty(true, t, bits, status);
  return bits;
}

// Returns a sum of integers if type t holds it. If the magnitudes sum to less than 2^62, both words
// are exact; otherwise the sum is undecided.
ONEFOLD_KERNEL AnswerBits whole_bits(const QuickTotal& s, DType t) {
  const auto q = two_sum<OneLane>(s.high, s.low);
  if (!(s.size < 0x1p62)) return {};
  const int64_t v = static_cast<int64_t>(q.sum) + static_cast<int64_t>(q.rest);
  const int bits = 8 * static_cast<int>(bytes_of(t)), above = bits == 64 ? 63 : bits;
  const bool is_signed = kind_of(t) == Kind::signed_integer,
             is_unsigned = kind_of(t) == Kind::unsigned_integer;
  const int64_t over = v >> (is_signed ? bits - 1 : above);
  const bool fits = (is_signed && (over == 0 || over == -1)) || (is_unsigned && over == 0);
  return {static_cast<uint64_t>(v), fits};
}

// Rounds an answer from totals, if they prove the rounding.
//   depth   four times the longest chain of additions to a sum. A sum then errs by at most
//           (depth 2^-52)^2 of the sum of its terms' magnitudes
template <Statistic is, class T, uint32_t ops, bool repeated>
ONEFOLD_KERNEL AnswerBits decide_formula(weighted::Formula f,
                                         const WeightedTotals<T, ops, repeated>& totals, DType t,
                                         NanPolicy nan, const Correction& ddof, double depth) {
  using All = WeightedTotals<T, ops, repeated>;
  const double e = depth * 0x1p-52;
  const BoundedSums<T, ops, repeated> sums{totals, ddof, e * e};
  if ((totals.flags & All::is_special) != 0) return {};
  if ((totals.flags & All::has_nan) != 0) {
    return {nan_bits_of_type(t), is_floating(t) && nan != NanPolicy::raise};
  }
  const bool is_sum_alone = is_total(is) && !f.divides;
  if (totals.n == 0) return {repeated && is_sum_alone ? 0 : nan_bits_of_type(t), true};
  if (!is_floating(t)) {
    if constexpr (repeated && is_total(is) && !Floating<T>) {
      if (is_sum_alone && !f.root) return whole_bits(totals.sum[totals.place_of(term_of(is))], t);
    }
    return {};
  }
  if (!sums.is_tame()) return {};
  // Weights whose sum is 0 give NaN.
  const Wide weight = sums(Term::one);
  if (!repeated && weight.is_zero()) return {nan_bits_of_type(t), true};
  if (weight.error * 64 >= weight.size()) return {};
  const Ratio<Wide> ratio = ratio_of(weighted::ratio_of<is>(f, sums));
  if (repeated && is == Statistic::variance && ratio.b.high <= ratio.b.error) return {};
  if constexpr (!is_total(is)) {  // one element has no spread
    constexpr bool divides = is != Statistic::variance && is != Statistic::covariance;
    if (totals.is_alone()) return {divides ? nan_bits_of_type(t) : 0, true};
  }
  if (ratio.a.is_zero() && !(ratio.b.error * 64 < ratio.b.size()) && !ratio.b.is_zero()) return {};
  Wide r = quotient_of(ratio.a, ratio.b);
  if (r.high != r.high) return {nan_bits_of_type(t), true};
  if (ratio.root) r = root_of(r);
  const bool zero = r.is_zero();
  if (zero && ratio.root && !ratio.a.is_zero()) return {};
  if (zero) {  // only sums of -0 give -0
    const bool none = (totals.flags & All::is_nonzero) == 0 && weight.high > 0;
    r.high = is == total_of(Term::x) && none ? -0.0 : 0.0;
  }
  AnswerBits d = decide_bits({r.high, r.low, 0, r.error * (1 + 0x1p-20)}, t);
  d.decided = d.decided && (zero || absolute(r.high) > 0x1p-900);
  return d;
}

template <class Op, class T, uint32_t ops, bool repeated>
ONEFOLD_KERNEL AnswerBits near_answer(const WeightedTotals<T, ops, repeated>& totals, DType t,
                                      NanPolicy nan, const Correction& ddof, double depth) {
  constexpr weighted::Formula f = weighted_formula<Op>(repeated);
  if constexpr (f.of == Statistic::nothing) {
    return {};
  } else {
    return decide_formula<f.of>(f, totals, t, nan, ddof, depth);
  }
}

}  // namespace onefold::kernel
