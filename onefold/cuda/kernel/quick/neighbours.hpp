// Writes neighbouring answers of a lane by one store: sums and means that are known without error,
// of floats up to 32 bits.
#pragma once

#include "onefold/cuda/kernel/quick/answers.hpp"

namespace onefold::kernel {

// Returns whether it wrote all of them; otherwise each answer must be written by itself.
template <class T, OpSet ops, bool selects, int n, class M>
ONEFOLD_KERNEL bool put_neighbours(M m, const LaneTotals<T, ops, selects> (&totals)[n],
                                   const Formulas& formulas, const Results<M, ops>& results,
                                   Size elements, Size answer) {
  using Lane = LaneAnswers<T, ops, selects>;
  bool sure = false;
  const auto one = [&]<class Op>() {
    if constexpr (count_ops(ops) == 1 && is_rounded<T, Op>() && !selects && sizeof(T) < 8) {
      constexpr Statistic of = recipe_of<Op>().numerator.of;
      if constexpr (is_total(of) && Lane::needed.tracked.has(term_of(of))) {
        struct alignas(n * sizeof(T)) Wide {
          bits_of<T> v[n];
        };
        const Place<M>& place = results.place[0];
        const auto to = m.template as<bits_of<T>>(place.value) + static_cast<int64_t>(answer);
        if (n > 1 && m.misaligned(to, sizeof(Wide)) != 0) return;
        Wide all;
        sure = true;
        if constexpr (Lane::All::digits) {
          ONEFOLD_UNROLL
          for (int j = 0; j < n; ++j) {
            const bool special = (totals[j].digit_sum.anchor & Anchors<T>::special) != 0;
            const DigitAnswer d = Lane::template digit_answer<Op>(totals[j], elements, formulas);
            sure = sure && d.decided && !special;
            all.v[j] = static_cast<bits_of<T>>(d.bits);
          }
        } else {
          const AnswerFormula made = answer_formula<Op, selects>(formulas, 0, 0, results.nan, {});
          ONEFOLD_UNROLL
          for (int j = 0; j < n; ++j) {
            const RoundingTest<T> d =
                Lane::template exact_sum<term_of(of), Op::about.steps.quotient>(totals[j], made);
            sure = sure && d.decided;
            all.v[j] = static_cast<bits_of<T>>(bits_of_answer<T>(d.value));
          }
        }
        if (!m.branch(sure)) return;
        m.template as<Wide>(to)[0] = all;
        ONEFOLD_UNROLL
        for (Size j = 0; place.has_status && j < n; ++j) {
          place.status[answer + j] = static_cast<uint8_t>(Status::ok);
        }
      }
    }
  };
  each_op<ops>(one);
  return sure;
}

}  // namespace onefold::kernel
