// Rounds answers with weights from totals: the formulas of weighted.hpp, in numbers of one f64 or
// two with error bounds (quick/bounded.hpp).
#pragma once

#include "onefold/cuda/kernel/quick/answers.hpp"
#include "onefold/cuda/kernel/weighted/totals.hpp"

namespace onefold::kernel {

ONEFOLD_KERNEL void put_number(Near& to, double high, double low, double error) {
  to = {high + low, error};
}
ONEFOLD_KERNEL void put_number(Wide& to, double high, double low, double error) {
  to = Wide::of(high, low, error);
}
template <class N>
struct WeightedOrigins {
  N origin_x, origin_y;
};
template <class N>
struct NoOrigins {
  ONEFOLD_KERNEL NoOrigins(const N&, const N&) {}
};
// The view that formulas get of totals. Sums of positive terms bound the errors of all.
template <class All, class N = Either<All::words_of_sum == 1, Near, Wide>>
struct WeightedView : Either<All::shifts, WeightedOrigins<N>, NoOrigins<N>> {
  using Number = N;
  using Origins = Either<All::shifts, WeightedOrigins<N>, NoOrigins<N>>;
  static constexpr bool repeated = All::repeats, weighted = !repeated;
  static constexpr double up = 1 + 0x1p-20;
  const All& totals;
  const Correction& ddof;
  bool corrected;
  double e;               // a sum errs by at most this times the sum of its terms' magnitudes
  double root_one, a, b;  // roots of sums of w, w x^2, and w y^2 or w x^4

  //   depth    the longest chain of additions to a sum
  //   x0, y0   the totals' origin
  ONEFOLD_KERNEL WeightedView(const All& t, const Correction& k, double depth, double x0, double y0)
      : Origins{N{x0}, N{y0}},
        totals(t),
        ddof(k),
        corrected(repeated && is_of_sample(k)),
        e(relative_error(depth)),
        root_one(root<Term::one>()),
        a(root<Term::xx>()),
        b(All::has_size(Term::yy) ? root<Term::yy>() : root<Term::xxxx>()) {}
  ONEFOLD_KERNEL N operator()(Term t) const {
    N v;
    if (repeated && t == Term::one) {
      const auto rounded = static_cast<double>(totals.n);
      const auto rest = static_cast<int64_t>(totals.n - static_cast<Size>(rounded));
      put_number(v, rounded, static_cast<double>(rest),
                 All::words_of_sum == 1 ? 0x1p-53 * rounded : 0);
    } else {
      put_number(v, totals.at(t).high, totals.at(t).low, error_of(t));
    }
    return v;
  }
  ONEFOLD_KERNEL static N whole(double v) { return {v}; }
  ONEFOLD_KERNEL N fewer(int k) const { return (*this)(Term::one)-whole(k); }
  ONEFOLD_KERNEL Ratio<N> over_freedom(const N& v) const {
    return formula::over_freedom(v, (*this)(Term::one),
                                 whole(static_cast<double>(ddof.denominator)),
                                 whole(static_cast<double>(ddof.numerator)));
  }
  ONEFOLD_KERNEL bool is_finite() const {
    bool finite = true;
    each_term<All::sizes>(
        [&]<Term t>() { finite = finite && totals.size_of(t) < OneLane::infinity(); });
    return finite;
  }
  // Returns whether f64 suffices for the formulas: products of up to four sums (for moments six)
  // and ddof fit an f64, and no product of elements became too small for one.
  ONEFOLD_KERNEL bool is_tame() const {
    constexpr double most = All::moments ? 0x1p150 : 0x1p200;
    bool tame = ddof.numerator < int64_t{1} << 53 && ddof.numerator > -(int64_t{1} << 53);
    each_term<All::sizes>([&]<Term t>() {
      const double size = totals.size_of(t);
      const bool none = size == 0 && (totals.flags & All::template values_of<t>()) == 0;
      tame = tame && (none || (size < most && size > 1 / most));
    });
    return tame;
  }

 private:
  ONEFOLD_KERNEL static double relative_error(double depth) {
    const double e = (depth + 8) * (All::words_of_sum == 1 ? 0x1.1p-53 : 0x1.1p-51);
    return All::words_of_sum == 1 ? e : e * e;
  }
  template <Term t>
  ONEFOLD_KERNEL double root() const {
    if constexpr (All::has_size(t)) return root_above(totals.size_of(t) * up);
    return 0;
  }
  ONEFOLD_KERNEL double error_of(Term t) const {
    if (All::has_size(t)) return e * (totals.size_of(t) * up);
    if (t == Term::x && All::has_size(Term::magnitude)) {
      return e * (totals.size_of(Term::magnitude) * up);
    }
    return e * (t == Term::y                           ? root_one * b
                : t == Term::x || t == Term::magnitude ? root_one * a
                                                       : a * b);
  }
};

// Returns a with the sign turned if b is negative.
template <class N>
ONEFOLD_KERNEL N turned_by(const N& a, const N& b) {
  return is_negative(b) ? N{0} - a : a;
}
template <class N>
ONEFOLD_KERNEL bool divides_by_zero(const Ratio<N>& r) {
  return is_zero(r.b);
}
template <class N>
ONEFOLD_KERNEL bool divides_by_zero(const OverRoot<N>& r) {
  return is_zero(r.b) || is_zero(r.c);
}

struct AnswerBits {
  uint64_t bits = 0;
  bool decided = false;
  Status status = Status::ok;
};
// Stores the bits of an answer of type t, whose address is a multiple of its size.
template <class M>
ONEFOLD_KERNEL void put_sized(M m, const Place<M>& place, DType t, Size answer, uint64_t bits,
                              Status status) {
  change_empty(place.empty_nan, t, bits, status);
  const unsigned bytes = bytes_of(t);
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
// Rounds a quotient, or its root.
template <class T, bool root, class N>
ONEFOLD_KERNEL AnswerBits decide_quotient(const N& q) {
  const RoundingTest<T> d = decide_number<T, root>(q);
  return {bits_of_answer<T>(d.value), d.decided};
}
// Rounds to type t, which is known only when the kernel runs.
template <bool root>
ONEFOLD_KERNEL_COLD AnswerBits decide_any(Wide q, DType t) {
  switch (t) {
    case DType::f64:
      return decide_quotient<double, root>(q);
    case DType::f32:
      return decide_quotient<float, root>(q);
    case DType::f16:
      return decide_quotient<float16, root>(q);
    case DType::bf16:
      return decide_quotient<bfloat16, root>(q);
    default:
      return {};
  }
}

// Returns a sum of integers if type t holds it. If the magnitudes sum to less than 2^62, both words
// are exact; otherwise the sum is undecided.
template <class All>
ONEFOLD_KERNEL AnswerBits whole_bits(const All& totals, Term term, DType t) {
  const auto q = two_sum<OneLane>(totals.at(term).high, totals.at(term).low);
  if (!(totals.size_of(term == Term::xx ? term : Term::magnitude) < 0x1p62)) return {};
  const int64_t v = static_cast<int64_t>(q.sum) + static_cast<int64_t>(q.rest);
  const int bits = 8 * static_cast<int>(bytes_of(t)), above = bits == 64 ? 63 : bits;
  const bool is_signed = kind_of(t) == Kind::signed_integer,
             is_unsigned = kind_of(t) == Kind::unsigned_integer;
  const int64_t over = v >> (is_signed ? bits - 1 : above);
  const bool fits = (is_signed && (over == 0 || over == -1)) || (is_unsigned && over == 0);
  return {static_cast<uint64_t>(v), fits};
}

// Rounds an answer of type t from totals, if they prove the rounding.
//   depth    the longest chain of additions to a sum
//   x0, y0   the totals' origin
template <Statistic is, bool root, class All>
ONEFOLD_KERNEL AnswerBits decide_weighted(weighted::Formula f, const All& totals, DType t,
                                          NanPolicy nan, const Correction& ddof, double depth,
                                          double x0, double y0) {
  using View = WeightedView<All>;
  constexpr bool repeated = View::repeated;
  const bool is_sum_alone = is_total(is) && !f.divides;
  if ((totals.flags & All::is_special) != 0) return {};
  if ((totals.flags & All::has_nan) != 0) {
    return {float_format(t).nan(), is_floating(t) && nan != NanPolicy::raise};
  }
  if (totals.is_empty()) return {repeated && is_sum_alone ? 0 : float_format(t).nan(), true};
  if (!is_floating(t)) {
    if constexpr (repeated && is_total(is) && All::sums_integers) {
      if (is_sum_alone && !root) return whole_bits(totals, term_of(is), t);
    }
    return {};
  }
  const View sums(totals, ddof, depth, x0, y0);
  if constexpr (All::words_of_sum == 1) {  // these sums cannot overflow
    if (!sums.is_finite()) {
      const bool is_nan = (!is_total(is) && !is_raw_moment(is)) ||
                          totals.at(term_of(is)).high != totals.at(term_of(is)).high;
      return {float_format(t).nan(), is_nan && nan != NanPolicy::raise};
    }
  }
  if (!sums.is_tame()) return {};
  const typename View::Number weight = sums(Term::one);
  if (!repeated && is_zero(weight)) return {float_format(t).nan(), true};  // the weights sum to 0
  if (may_be_zero(weight)) return {};
  auto formula = weighted::ratio_of<is>(f, sums);
  if constexpr (is == total_of(Term::x) && All::shifts) {
    formula.a = formula.a + View::whole(x0) * weight;
  }
  if constexpr (repeated && is == Statistic::variance) {  // ddof leaves no degree of freedom
    const Int128 left = static_cast<Int128>(totals.n) * ddof.denominator - ddof.numerator;
    if (left <= 0) return {float_format(t).nan(), true};
  }
  if constexpr (!is_total(is) && !is_raw_moment(is)) {  // one element has no spread
    if (totals.is_alone()) return {is_zero_of_equals(is) ? 0 : float_format(t).nan(), true};
  }
  if (divides_by_zero(formula)) return {float_format(t).nan(), true};
  const auto ratio = ratio_of(formula);
  if (may_be_zero(ratio.b)) return {};
  if (is_zero(ratio.a)) {  // only sums of -0 give -0
    const bool negative =
        is == total_of(Term::x) && (totals.flags & All::is_nonzero) == 0 && !is_negative(weight);
    return {negative ? uint64_t{1} << (8 * bytes_of(t) - 1) : 0, true};
  }
  const typename View::Number q = quotient_of(ratio.a, ratio.b);
  if constexpr (All::any_result) return decide_any<root>(q, t);
  return decide_quotient<typename All::Fraction, root>(q);
}

template <class Op, class All>
ONEFOLD_KERNEL AnswerBits near_answer(const All& totals, DType t, NanPolicy nan,
                                      const Correction& ddof, double depth, double x0, double y0) {
  constexpr weighted::Formula f = weighted_formula<Op>(All::repeats);
  if constexpr (f.of == Statistic::nothing) {
    return {};
  } else {
    if (f.of_mean && totals.n >> 48 != 0) return {};  // an error, which a state finds
    Correction own = ddof;
    if (f.of_mean) own.numerator = ddof.numerator_or(1);
    return decide_weighted<f.of, f.root>(f, totals, t, nan, own, depth, x0, y0);
  }
}

}  // namespace onefold::kernel
