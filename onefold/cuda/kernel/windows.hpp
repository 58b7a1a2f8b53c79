// Folds windows of a rule that begin one element apart and have 8 elements or more.
//
//   tile     a block copies the elements of neighbouring windows to shared memory
//            (window_elements.hpp); elements that do not count, or lie outside the line, become
//            neutral ones
//   thread   8 neighbouring elements, and the 8 windows that begin at them. A window is a suffix of
//            these elements, whole threads' elements between, and the elements behind: about two
//            additions and two merges a window, however wide it is. Nothing is taken away, so NaN
//            and errors stay in their windows
//   wide     windows of more than half a tile: the elements that all windows of a tile have in
//            common are added by all threads, and a second tile has those where the windows end
//   shift    spreads are those of x - x_0, if that is exact
//   answers  are rounded in the order of memory; undecided ones are computed again as segments
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/quick/answers.hpp"
#include "onefold/cuda/kernel/window_totals.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, class M>
struct WindowTile : WindowTotals<T, ops, M> {
  using Base = WindowTotals<T, ops, M>;
  using typename Base::General, typename Base::Totals;
  using Answers = LaneAnswers<T, ops, true, true>;
  using Base::deal, Base::element, Base::input, Base::m, Base::number, Base::pivot, Base::plain,
      Base::run, Base::shifts, Base::size, Base::thread, Base::threads, Base::width;
  // Whether there is one op, a sum or a mean.
  static constexpr bool one_sum = count_ops(ops) == 1 && terms_answered<T, ops>().count() == 1 &&
                                  Totals::needed.tracked.count() == 1 &&
                                  Totals::needed.bounded.empty();

  const Scratch<M>& scratch;
  const Results<M, ops>& results;

  ONEFOLD_KERNEL WindowTile(M on, const NestInput<M, T>& in, const Scratch<M>& s,
                            const Results<M, ops>& r, const Deal& d)
      : Base(on, in, d), scratch(s), results(r) {}

  // Rounds the answer of window i, which is number `at`.
  template <class Mode>
  ONEFOLD_KERNEL void answer_one(unsigned i, Size at) const {
    uint32_t n = width;
    if constexpr (!Mode::every) {
      const uint32_t counted = number[i % run * threads + i / run];
      n = counted;
    }
    if (n < input.windows.least) return put_too_few(m, results, at);
    Totals one;
    if constexpr (Mode::exact) {
      one = Totals::of_exact(this->template kept<Mode>(i % run, i / run, n));
    } else {
      one = this->template kept<Mode>(i % run, i / run, n);
    }
    const bool sure = Answers::put_all(m, one, input, deal.formulas, results, at);
    if constexpr (any_is_rounded<T>(ops)) {
      if (!sure) note_undecided(m, scratch, at);
    }
  }
  // Rounds an exact sum, or its mean. Returns false if that takes more.
  template <class Mode, class Op>
  ONEFOLD_KERNEL bool answer_sum(unsigned i, Size at, const AnswerFormula& made) const {
    constexpr Term of = term_of(recipe_of<Op>().numerator.of);
    const Totals one = Totals::of_exact(this->template kept<Mode>(i % run, i / run, width));
    const RoundingTest<T> r = Answers::template exact_sum<of, Op::about.steps.quotient>(one, made);
    if (r.decided) {
      put_typed<dtype_of<T>>(m, results.place[0], at, bits_of_answer<T>(r.value), Status::ok);
    }
    return r.decided;
  }
  // Rounds the answers; that of window i is number first + i * apart_from.
  template <class Mode>
  ONEFOLD_KERNEL void answer(unsigned here, Size first, Size apart_from) const {
    const auto each = [&](auto one) {
      ONEFOLD_NO_UNROLL
      for (unsigned i = thread; i < here; i += threads) one(i, first + i * apart_from);
    };
    if constexpr (Mode::exact && one_sum) {
      if (deal.formulas.made_for == width && input.windows.least <= width) {
        return each_op<ops>([&]<class Op>() {
          const AnswerFormula made =
              answer_formula<Op, false>(deal.formulas, 0, 0, results.nan, {});
          each([&](unsigned i, Size at) {
            if (!answer_sum<Mode, Op>(i, at, made)) answer_one<Mode>(i, at);
          });
        });
      }
    }
    each([&](unsigned i, Size at) { answer_one<Mode>(i, at); });
  }
  template <class Mode>
  ONEFOLD_KERNEL void run_in(unsigned here, Size first, Size apart_from) const {
    this->template fold<Mode>(here);
    m.sync();
    answer<Mode>(here, first, apart_from);
  }

  ONEFOLD_KERNEL void run_all() {
    const WindowRule& w = input.windows;
    const Size line = m.block() < deal.tiles ? 0 : quotient_of(Size{m.block()}, deal.tiles),
               window = (m.block() - line * deal.tiles) * deal.length, rest = w.count - window,
               outer = line == 0 ? 0 : quotient_of(line, w.inner),
               answers = (outer * w.count + window) * w.inner + (line - outer * w.inner);
    const auto here = static_cast<unsigned>(rest < deal.length ? rest : deal.length);
    const int64_t first = w.end(window) - static_cast<int64_t>(width);
    Spot spot;
    if (line != 0) spot = answer_at<false, true>(input, line);
    if (are_wide(width, size)) {
      this->fold_wide(spot, first, here);
      m.sync();
      return answer<General>(here, answers, w.inner);
    }
    const auto known = this->copy(spot, first, here + width - 1);
    if (!known.every) return run_in<General>(here, answers, w.inner);
    if constexpr (plain) {
      if (known.exact) return run_in<WindowMode<T, ops, true, true>>(here, answers, w.inner);
    } else if constexpr (shifts) {
      const T x = element[0];
      pivot = f64_of(x);
      const bool finite = absolute(pivot) < OneLane::infinity();
      if (known.exact && finite) {
        return run_in<WindowMode<T, ops, true, false, true>>(here, answers, w.inner);
      }
    }
    run_in<WindowMode<T, ops, true, false>>(here, answers, w.inner);
  }
};

template <class T, OpSet ops, class M>
ONEFOLD_KERNEL void fold_windows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                 const Results<M, ops>& results, const Deal& deal) {
  WindowTile<T, ops, M>(m, input, scratch, results, deal).run_all();
}

}  // namespace onefold::kernel
