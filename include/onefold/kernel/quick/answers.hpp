// Rounds answers from totals, one answer a lane: by quick numbers if they are sums of floats,
// otherwise by exact numbers.
#pragma once

#include "onefold/kernel/quick/decide.hpp"
#include "onefold/kernel/quick/digit_answers.hpp"
#include "onefold/kernel/quick/formulas.hpp"
#include "onefold/kernel/quick/totals_view.hpp"
#include "onefold/kernel/schedule/deal.hpp"

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

template <class T, uint32_t ops, bool selects = false>
struct LaneAnswers {
  using All = LaneTotals<T, ops, selects>;
  using View = TotalsView<T, ops, selects>;
  static constexpr NeededTotals needed = All::needed;
  using Fraction = Either<Floating<T>, T, double>;  // the type of rounded answers
  static constexpr uint64_t nan_bits = nan_bits_of<Fraction>();

  template <int words, bool tracked>
  ONEFOLD_KERNEL static Quick<OneLane> quick_of(const FloatSum<words, tracked>& s, double lost) {
    return {s.high, words == 2 ? s.low : 0.0, 0.0, tracked ? s.lost * (1 + 0x1p-20) : lost};
  }

  // Writes the answers that totals can decide; returns whether these are all.
  template <class M>
  ONEFOLD_KERNEL static bool put_all(M m, const All& of_elements, const NestInput<M, T>& input,
                                     const Formulas& formulas, const Results<M, ops>& results,
                                     Size answer) {
    All totals = of_elements;
    Size n = input.elements;
    if constexpr (selects) {
      if constexpr (!All::pairs) {
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
    Bound bound{};
    if constexpr (All::pairs && (needed.sumsq || needed.sumabs)) {
      bound = bound_of<All::pair_words>(1, 1, formulas.depth + 4);
    } else if constexpr (Floating<T> && needed.sumsq) {
      bound =
          bound_of<All::Sums::words>(totals.square.high, static_cast<double>(n), formulas.depth);
    }
    int k = 0;
    const auto one = [&]<class Op>() {
      const Place<M>& place = results.place[k];
      constexpr DType type = Op::about.result.of(dtype_of<T>);
      if constexpr (All::digits) {
        const DigitAnswer d = digit_answer<Op>(totals, n, formulas);
        const bool special = (totals.sum.anchor & Anchors<T>::special) != 0,
                   sure = d.decided && !(special && results.nan != NanPolicy::propagate);
        if (sure) put_typed<type>(m, place, answer, d.bits, Status::ok);
        all = sure && all;
      } else if constexpr (is_rounded<T, Op>()) {
        const AnswerFormula made =
            answer_formula<Op, selects>(formulas, k, n, results.nan, results.correction);
        constexpr Statistic of = recipe_of<Op>().numerator.of;
        bool sure;
        if constexpr (of == Statistic::greatest_difference) {
          sure = put_apart(m, totals, n, results, place, answer);
        } else if constexpr (is_of_terms(of)) {
          sure = put_formula<of>(m, totals, n, made, formulas.depth, results, place, answer);
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
    return answer_of<T, Op::about.steps.quotient>(totals.sum, All::context_of(n),
                                                  static_cast<uint32_t>(n), formulas.reciprocal);
  }

  // Decides sums and spreads of types up to 32 bits, for which one f64 is precise enough.
  template <class Op>
  ONEFOLD_KERNEL static RoundingTest<T> near_answer(const All& totals, const AnswerFormula& made,
                                                    double lost) {
    constexpr Statistic of = recipe_of<Op>().numerator.of;
    constexpr bool root = recipe_of<Op>().root;
    if constexpr (is_positive(of)) {
      const double s = sum_of<of>(totals).high;
      return decide_near<T, root>(s, lost * s, made.scale);
    } else if constexpr (of == Statistic::variance) {
      const double s = totals.sum.high, n = made.formula.elements, nq = n * totals.square.high,
                   ss = s * s, d = fused(n, totals.square.high, -ss) - fused(s, s, -ss);
      // |S| is at most sqrt(n Q); the error of S is at most 1.07 times `lost` of that.
      return decide_near<T, root>(d, 3.5 * lost * nq, made.scale);
    } else {
      const auto& s = sum_of<of>(totals);
      return decide_near<T, root>(s.high, s.lost * (1 + 0x1p-20), made.scale);
    }
  }
  // Returns whether a sum has no negative terms; its error bound then follows from the sum.
  static constexpr bool is_positive(Statistic of) {
    return is_total(of) && of != total_of(Term::magnitude) &&
           factors_of(term_of(of)).never_negative();
  }
  template <Statistic of>
  ONEFOLD_KERNEL static const auto& sum_of(const All& totals) {
    if constexpr (of == total_of(Term::xx) || of == Statistic::variance ||
                  of == total_of(Term::squared_difference)) {
      return totals.square;
    } else if constexpr (of == total_of(Term::magnitude) || of == total_of(Term::distance)) {
      return totals.sumabs;
    } else {
      return totals.sum;
    }
  }
  // Returns the error bound of a sum of differences. Their squares may underflow.
  ONEFOLD_KERNEL static double lost_of_differences(double sum, const Bound& bound) {
    return needed.sumsq && Floating<T> ? bound.squares * sum + 0x1p-1040 : bound.squares * sum;
  }
  // Decides an answer by two f64.
  template <class Op>
  ONEFOLD_KERNEL static RoundingTest<Fraction> wide_answer(const All& totals,
                                                           const AnswerFormula& made,
                                                           const Bound& bound) {
    constexpr Statistic of = recipe_of<Op>().numerator.of;
    const QuickFormula& f = made.formula;
    if constexpr (All::pairs && is_positive(of)) {
      const auto& s = sum_of<of>(totals);
      return decide<Fraction, ops>(f, quick_of(s, lost_of_differences(s.high, bound)), {});
    } else if constexpr (of == total_of(Term::xx)) {
      return decide<Fraction, ops>(f, quick_of(totals.square, bound.squares), {});
    } else if constexpr (of == Statistic::variance) {
      return decide<Fraction, ops>(f, quick_of(totals.sum, bound.sum),
                                   quick_of(totals.square, bound.squares));
    } else {
      return decide<Fraction, ops>(f, quick_of(sum_of<of>(totals), 0), {});
    }
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
    return is != Statistic::cosine && is != Statistic::weighted_mean;
  }
  template <Statistic is, class M>
  ONEFOLD_KERNEL static bool put_formula(M m, const All& totals, Size n, const AnswerFormula& made,
                                         double depth, const Results<M, ops>& results,
                                         const Place<M>& place, Size answer) {
    const Bound bound = bound_of<All::pair_words>(1, 1, depth + 4);
    RoundingTest<Fraction> d;
    if constexpr (sizeof(Fraction) == 8) {
      d = decide_wide_formula<double, is, !Floating<T>>(totals.terms, made.formula, bound.squares);
    } else {
      d = decide_formula<T, is>(totals.terms, made, bound.relative);
    }
    if constexpr (selects) d.decided = d.decided && made.number;
    uint64_t bits = bits_of_answer<Fraction>(d.value);
    // Squares of f64 may overflow, others do not. A weighted mean with infinities need not be NaN.
    constexpr Term other = All::pairs ? Term::yy : Term::xx;
    const double squares = totals.terms.at(Term::xx).high + totals.terms.at(other).high;
    const bool none_left = selects && results.nan == NanPolicy::omit,
               special =
                   sizeof(Fraction) == 8 ? squares != squares : !(squares < OneLane::infinity());
    bool nan = is != Statistic::weighted_mean && special &&
               (none_left || results.nan == NanPolicy::propagate);
    if constexpr (selects) {
      nan = nan || n == 0 || (made.nan && squares == squares);
      // The spread of one pair is 0. Decided here, since segments of one element are frequent.
      if (has_spread(is) && n == 1 && squares < OneLane::infinity()) {
        nan = nan || is != Statistic::covariance;
        d.decided = made.number;
        bits = 0;
      }
    }
    if (nan) bits = nan_bits;
    if (d.decided || nan) put_typed<dtype_of<Fraction>>(m, place, answer, bits, Status::ok);
    return d.decided || nan;
  }
  // Rounds a sum that has no error by one addition and one conversion, or its mean by a division.
  template <class Op, class S>
  ONEFOLD_KERNEL static void take_exact(const S& s, const AnswerFormula& made, RoundingTest<T>& d) {
    const double high = s.high;
    if ((!Op::about.steps.quotient || made.formula.n == 1) && s.lost == 0) {
      double v = high;
      if constexpr (All::Sums::words == 2) {
        if (s.low != 0) v += s.low;
      }
      d = {nearest<T>(v), OneLane::abs(v) < OneLane::infinity()};
    } else if (Op::about.steps.quotient && sizeof(T) < 8 && made.inverse != 0 && s.lost == 0) {
      d = divided<T>(high, made.formula.n, made.inverse);
    }
  }
  template <class Op, DType type, class M>
  ONEFOLD_KERNEL static bool put_rounded(M m, const All& totals, Size n, const Bound& bound,
                                         const AnswerFormula& made, const Results<M, ops>& results,
                                         const Place<M>& place, Size answer) {
    static_assert(type == dtype_of<Fraction>);
    constexpr Statistic of = recipe_of<Op>().numerator.of;
    constexpr bool spread = of == Statistic::variance;
    const auto& numerator = sum_of<of>(totals);
    const double high = numerator.high;
    RoundingTest<Fraction> d{};
    if constexpr (!spread && !is_positive(of)) take_exact<Op>(numerator, made, d);
    if constexpr (sizeof(Fraction) < 8) {
      if (!d.decided && made.scale != 0) d = near_answer<Op>(totals, made, bound.relative);
    } else {
      if (!d.decided) d = wide_answer<Op>(totals, made, bound);
    }
    if constexpr (selects) d.decided = d.decided && made.number;
    uint64_t bits = bits_of_answer<Fraction>(d.value);
    if constexpr (sizeof(Fraction) < 8) {
      // Sums of these types cannot overflow an f64, so here some element is not finite.
      const bool none_left = selects && results.nan == NanPolicy::omit;  // no NaN remains
      if ((none_left || results.nan == NanPolicy::propagate) &&
          !(absolute(high) < OneLane::infinity())) {
        bits = spread || high != high ? nan_bits : bits_of_answer<T>(nearest<T>(high));
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
