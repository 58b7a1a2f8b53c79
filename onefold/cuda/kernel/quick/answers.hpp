// Rounds answers from totals, one answer a lane: by quick numbers if they are sums of floats,
// otherwise by exact numbers.
#pragma once

#include "onefold/cuda/kernel/quick/decide.hpp"
#include "onefold/cuda/kernel/quick/digit_answers.hpp"
#include "onefold/cuda/kernel/quick/formulas.hpp"
#include "onefold/cuda/kernel/quick/totals_view.hpp"
#include "onefold/cuda/kernel/schedule/deal.hpp"

namespace onefold::kernel {

// Stores an answer of type `t`, whose address is a multiple of its size.
template <DType t, class M>
ONEFOLD_KERNEL void put_typed(M m, const Place<M>& place, Size answer, uint64_t bits,
                              Status status) {
  constexpr unsigned bytes = bytes_of(t);
  if constexpr (is_floating(t)) change_empty(place.empty_nan, t, bits, status);
  using Word = typename detail::Bits<bytes>::type;
  m.template as<Word>(place.value)[answer] = static_cast<Word>(bits);
  if (place.has_status) place.status[answer] = static_cast<uint8_t>(status);
}

//   known  as answer_formula has it; then there is no initial element
template <class T, OpSet ops, bool selects = false, bool known = false>
struct LaneAnswers {
  using All = LaneTotals<T, ops, selects>;
  using View = TotalsView<T, ops, selects>;
  static constexpr NeededTotals needed = All::needed;
  using Fraction = Either<Floating<T>, T, double>;  // the type of rounded answers
  static constexpr uint64_t nan_bits = float_format(dtype_of<Fraction>).nan();

  // Writes the answers that totals can decide; returns whether these are all.
  template <class M>
  ONEFOLD_KERNEL static bool put_all(M m, const All& of_elements, const NestInput<M, T>& input,
                                     const Formulas& formulas, const Results<M, ops>& results,
                                     Size answer) {
    All totals = of_elements;
    Size n = input.elements;
    if constexpr (selects) {
      if constexpr (!All::pairs && !known) {
        if (input.chosen.initial) {
          NoRange unseen;
          typename All::Batch none;
          BesideUnit<T, 1, true, false> there;
          there.mask = MaskUnit<1, true>::all();
          const T x = totals.select(there, bit_cast<T>(static_cast<bits_of<T>>(input.chosen.bits)),
                                    input.chosen.omit);
          totals.add(unseen, none, x, 0, there.takes(0));
        }
      }
      n = totals.taken.n;
    }
    bool all = true;
    const double bound = relative_bound<All::sum_words>(formulas.depth);
    int k = 0;
    const auto one = [&]<class Op>() {
      const Place<M>& place = results.place[k];
      constexpr DType type = Op::about.result.of(dtype_of<T>);
      if constexpr (All::digits) {
        const DigitAnswer d = digit_answer<Op>(totals, n, formulas);
        const bool special = (totals.digit_sum.anchor & Anchors<T>::special) != 0,
                   sure = d.decided && !(special && results.nan != NanPolicy::propagate);
        if (sure) put_typed<type>(m, place, answer, d.bits, Status::ok);
        all = sure && all;
      } else if constexpr (is_rounded<T, Op>()) {
        const AnswerFormula made =
            answer_formula<Op, selects, known>(formulas, k, n, results.nan, results.correction);
        constexpr Statistic of = recipe_of<Op>().numerator.of;
        bool sure;
        if constexpr (of == Statistic::greatest_difference) {
          sure = put_apart(m, totals, n, results, place, answer);
        } else if constexpr (is_of_terms(of) || of == Statistic::variance) {
          constexpr bool root = recipe_of<Op>().root;
          sure = put_formula<of, root>(m, totals, n, bound, made, results, place, answer);
        } else {
          sure = put_rounded<Op, type>(m, totals, n, bound, made, results, place, answer);
        }
        all = sure && all;
      } else {
        const View seen{totals, n, results.nan, results.correction};
        const Rounded r = exact_answer<Op, type>(seen);
        put_typed<type>(m, place, answer, r.bits, r.status);
      }
      ++k;
    };
    each_op<ops>(one);
    return all;
  }

  template <class Op>
  ONEFOLD_KERNEL static DigitAnswer digit_answer(const All& totals, Size n,
                                                 const Formulas& formulas) {
    return answer_of<T, Op::about.steps.quotient>(totals.digit_sum, All::context_of(n),
                                                  static_cast<uint32_t>(n), formulas.reciprocal);
  }

  // Decides a sum by one f64, for types of up to 32 bits.
  template <Term t, bool root>
  ONEFOLD_KERNEL static RoundingTest<T> near_answer(const All& totals, const AnswerFormula& made,
                                                    double bound) {
    const auto& s = totals.sums.at(t);
    // A sum without negative terms bounds its own error.
    const double error = needed.tracked.has(t) ? s.lost * (1 + 0x1p-20) : bound * s.high;
    return decide_near<T, root>(s.high, error, made.scale);
  }
  // Decides a sum by two f64. Squares may underflow.
  template <Term t>
  ONEFOLD_KERNEL static RoundingTest<Fraction> wide_answer(const All& totals,
                                                           const AnswerFormula& made,
                                                           double bound) {
    constexpr bool tracked = needed.tracked.has(t);
    const auto& s = totals.sums.at(t);
    const double error = tracked                              ? s.lost * (1 + 0x1p-20)
                         : Floating<T> && t != Term::distance ? bound * s.high + 0x1p-1040
                                                              : bound * s.high;
    return decide<Fraction, ops>(made.formula,
                                 {s.high, All::sum_words == 2 ? s.low : 0.0, 0.0, error});
  }

  // Writes the greatest difference. If that is NaN and the policy is `raise`, returns false: totals
  // do not tell whether an element is NaN or two infinities cancelled.
  template <class M>
  ONEFOLD_KERNEL static bool put_apart(M m, const All& totals, Size n,
                                       const Results<M, ops>& results, const Place<M>& place,
                                       Size answer) {
    const auto v = bit_cast<typename GreatestDifference<T>::Real>(totals.apart.bits);
    if (v != v && results.nan == NanPolicy::raise) return false;
    const uint64_t bits = v != v ? nan_bits : bits_of_answer<T>(nearest<T>(v));
    put_typed<dtype_of<T>>(m, place, answer, n == 0 ? 0 : bits,
                           n == 0 ? Status::empty_input : Status::ok);
    return true;
  }
  // Returns whether a formula contains n P - Sx Sy or n Q - S^2.
  static constexpr bool has_spread(Statistic is) {
    return is != Statistic::cosine && is != Statistic::weighted_mean && !is_raw_moment(is);
  }
  template <Statistic is, bool root, class M>
  ONEFOLD_KERNEL static bool put_formula(M m, const All& totals, Size n, double bound,
                                         const AnswerFormula& made, const Results<M, ops>& results,
                                         const Place<M>& place, Size answer) {
    RoundingTest<Fraction> d;
    if constexpr (sizeof(Fraction) == 8) {
      d = decide_wide_formula<double, is, root, !Floating<T>>(totals.sums, made.formula, bound);
    } else {
      d = decide_formula<T, is, root>(totals.sums, made, bound);
    }
    if constexpr (selects) d.decided = d.decided && made.number;
    uint64_t bits = bits_of_answer<Fraction>(d.value);
    // Squares of f64 may overflow, others do not. A weighted mean with infinities need not be NaN.
    constexpr Term other = All::pairs ? Term::yy : Term::xx;
    const double squares = totals.sums.at(Term::xx).high + totals.sums.at(other).high;
    const bool none_left = selects && results.nan == NanPolicy::omit,
               special = sizeof(Fraction) == 8 || is_raw_moment(is)
                             ? squares != squares
                             : !(squares < OneLane::infinity());
    bool nan = is != Statistic::weighted_mean && special &&
               (none_left || results.nan == NanPolicy::propagate);
    if constexpr (selects) {
      nan = nan || n == 0 || (made.nan && squares == squares);
      // The spread of one pair is 0. Decided here, since segments of one element are frequent.
      if (has_spread(is) && n == 1 && squares < OneLane::infinity()) {
        nan = nan || !is_zero_of_equals(is);
        d.decided = made.number;
        bits = 0;
      }
    }
    if (nan) bits = nan_bits;
    if (d.decided || nan) put_typed<dtype_of<Fraction>>(m, place, answer, bits, Status::ok);
    return d.decided || nan;
  }
  // Rounds a sum that has no error by one addition and one conversion, or its mean by a division.
  template <Term t, bool quotient>
  ONEFOLD_KERNEL static RoundingTest<T> exact_sum(const All& totals, const AnswerFormula& made) {
    const auto& s = totals.sums.at(t);
    if ((!quotient || made.formula.n == 1) && s.lost == 0) {
      double v = s.high;
      if constexpr (All::sum_words == 2) {
        if (s.low != 0) v += s.low;
      }
      return {nearest<T>(v), OneLane::abs(v) < OneLane::infinity()};
    }
    if (quotient && sizeof(T) < 8 && made.inverse != 0 && s.lost == 0) {
      return divided<T>(s.high, made.formula.n, made.inverse);
    }
    return {};
  }
  template <class Op, DType type, class M>
  ONEFOLD_KERNEL static bool put_rounded(M m, const All& totals, Size n, double bound,
                                         const AnswerFormula& made, const Results<M, ops>& results,
                                         const Place<M>& place, Size answer) {
    static_assert(type == dtype_of<Fraction>);
    constexpr Term t = term_of(recipe_of<Op>().numerator.of);
    const double high = totals.sums.at(t).high;
    RoundingTest<Fraction> d{};
    if constexpr (needed.tracked.has(t)) {
      d = exact_sum<t, Op::about.steps.quotient>(totals, made);
    }
    if constexpr (sizeof(Fraction) < 8) {
      constexpr bool root = recipe_of<Op>().root;
      if (!d.decided && made.scale != 0) d = near_answer<t, root>(totals, made, bound);
    } else {
      if (!d.decided) d = wide_answer<t>(totals, made, bound);
    }
    if constexpr (selects) d.decided = d.decided && made.number;
    uint64_t bits = bits_of_answer<Fraction>(d.value);
    if constexpr (sizeof(Fraction) < 8) {
      // Sums of these types cannot overflow an f64, so here some element is not finite.
      const bool none_left = selects && results.nan == NanPolicy::omit;  // no NaN remains
      if ((none_left || results.nan == NanPolicy::propagate) &&
          !(absolute(high) < OneLane::infinity())) {
        bits = high != high ? nan_bits : bits_of_answer<T>(nearest<T>(high));
        d.decided = true;
      }
    }
    if constexpr (selects) {
      if (n == 0 || (made.nan && high == high)) {
        bits = made.nan ? nan_bits : 0;
        d.decided = true;
      }
    }
    if (d.decided) put_typed<type>(m, place, answer, bits, Status::ok);
    return d.decided;
  }
};

// Calls put(totals, s) for the first n of a lane's answers, of which there are at most `most`.
//   unrolled   the calls overlap, for one op; else they are a loop, to keep the code short
template <bool unrolled, unsigned most, class All, unsigned size, class Put>
ONEFOLD_KERNEL void for_each_answer(const All (&total)[size], unsigned n, const Put& put) {
  static_assert(most <= size);
  if constexpr (unrolled) {
    ONEFOLD_UNROLL
    for (unsigned s = 0; s < most; ++s) put(total[s], s);
  } else {
    ONEFOLD_NO_UNROLL
    for (unsigned s = 0; s < n; ++s) {
      All one = total[0];
      ONEFOLD_UNROLL
      for (unsigned p = 1; p < most; ++p) one = All::choose(s == p, total[p], one);
      put(one, s);
    }
  }
}

}  // namespace onefold::kernel
