// Folds windows of a rule that begin one element apart and have 8 elements or more.
//
//   tile     a block copies the elements of neighbouring windows to shared memory
//            (window_elements.hpp); elements that do not count, or lie outside the line, become
//            neutral ones
//   thread   8 neighbouring elements, and the 8 windows that begin at them. A window is a suffix of
//            these elements, whole threads' elements between, and the elements behind: about two
//            additions and two merges a window, however wide it is. Nothing is taken away, so NaN
//            and errors stay in their windows
//   answers  are rounded in the order of memory; undecided ones are computed again as segments
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/quick/answers.hpp"
#include "onefold/cuda/kernel/window_elements.hpp"

namespace onefold::kernel {

// How the elements of a tile count.
//   every  all of them
//   exact  sums of a window's elements have no errors
template <class T, uint32_t ops, bool each_one, bool no_errors>
struct WindowMode {
  using All = LaneTotals<T, ops, true, no_errors>;
  static constexpr bool every = each_one, exact = no_errors;
  static constexpr int words = All::words - 1;  // without the count
  static constexpr bool unrolled = words <= 3;
};

template <class T, uint32_t ops, class M>
struct WindowTile : WindowElements<T, ops, M> {
  using Elements = WindowElements<T, ops, M>;
  using Elements::deal, Elements::element, Elements::input, Elements::m, Elements::own_bits,
      Elements::place, Elements::plain, Elements::run, Elements::size, Elements::takes,
      Elements::thread, Elements::threads, Elements::width;
  using typename Elements::Totals;
  using General = WindowMode<T, ops, false, false>;
  using Answers = LaneAnswers<T, ops, true, true>;
  static constexpr int words = General::words;
  static constexpr unsigned row = threads + 2;
  // Whether there is one op, a sum or a mean.
  static constexpr bool one_sum = count_ops(ops) == 1 && terms_answered<T, ops>().count() == 1 &&
                                  Totals::needed.tracked.count() == 1 &&
                                  Totals::needed.bounded.empty();

  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  Shared<M, int64_t> total;       // by word, number of the window in its thread, thread
  Shared<M, int64_t> of_threads;  // by word, thread
  Shared<M, uint16_t> number;     // elements of a window that count

  ONEFOLD_KERNEL WindowTile(M on, const NestInput<M, T>& in, const Scratch<M>& s,
                            const Results<M, ops>& r, const Deal& d)
      : Elements(on, in, d),
        scratch(s),
        results(r),
        total(shared<int64_t, words * run * row, struct window_totals_>(on)),
        of_threads(shared<int64_t, Totals::words * threads, struct window_threads_>(on)),
        number(shared<uint16_t, size, struct window_numbers_>(on)) {}

  template <bool unrolled, class F>
  ONEFOLD_KERNEL static void each_of_run(F f) {
    if constexpr (unrolled) {
      ONEFOLD_UNROLL
      for (unsigned i = 0; i < run; ++i) f(i);
    } else {
      ONEFOLD_NO_UNROLL
      for (unsigned i = 0; i < run; ++i) f(i);
    }
  }
  // Adds element p of the tile.
  template <class Mode>
  ONEFOLD_KERNEL void add(typename Mode::All& to, unsigned p) const {
    NoRange unseen;
    typename Mode::All::Batch none;
    const T x = element[place(p)];
    bool there = true;
    if constexpr (!Mode::every) {
      there = takes(p);
      to.taken.n += there ? 1 : 0;
    }
    to.add(unseen, none, x, 0, there);
  }
  template <class Mode>
  ONEFOLD_KERNEL void keep(const typename Mode::All& t, unsigned i, unsigned of) const {
    auto copy = t;
    int k = -1;
    copy.each([&](auto& word) {
      if (k >= 0) total[(static_cast<unsigned>(k) * run + i) * row + of] = word_of(word);
      ++k;
    });
  }
  template <class Mode>
  ONEFOLD_KERNEL typename Mode::All kept(unsigned i, unsigned of, uint32_t n) const {
    typename Mode::All t;
    int k = -1;
    t.each([&](auto& word) {
      int64_t v = n;
      if (k >= 0) v = total[(static_cast<unsigned>(k) * run + i) * row + of];
      of_word(v, word);
      ++k;
    });
    return t;
  }

  // Finds the totals of windows 0 .. here - 1 of the tile.
  template <class Mode>
  ONEFOLD_KERNEL void fold(unsigned here) const {
    using All = typename Mode::All;
    {
      All suffix;
      each_of_run<Mode::unrolled>([&](unsigned i) {
        add<Mode>(suffix, thread * run + (run - 1 - i));
        keep<Mode>(suffix, run - 1 - i, thread);
      });
      suffix.store(of_threads + thread, threads);
    }
    m.sync();
    if (thread * run >= here) return;
    const unsigned whole = width / run;
    All behind;
    ONEFOLD_NO_UNROLL
    for (unsigned b = thread + 1; b < thread + whole; ++b) {
      behind.add(All::load(of_threads + b, threads));
    }
    unsigned p = (thread + whole) * run;
    ONEFOLD_NO_UNROLL
    for (unsigned k = width % run; k > 0; --k) add<Mode>(behind, p++);
    uint32_t own = 0;
    if constexpr (!Mode::every) own = own_bits();
    each_of_run<Mode::unrolled>([&](unsigned i) {
      if (thread * run + i >= here) return;
      if (i > 0) add<Mode>(behind, p + i - 1);
      All one = kept<Mode>(i, thread, static_cast<uint32_t>(m.count_bits(own >> i)));
      one.add(behind);
      keep<Mode>(one, i, thread);
      if constexpr (!Mode::every) {
        number[i * threads + thread] = static_cast<uint16_t>(one.taken.n);
      }
    });
  }
  // Rounds the answer of window i, which is number `at`.
  template <class Mode>
  ONEFOLD_KERNEL void answer_one(unsigned i, Size at) const {
    uint32_t n = width;
    if constexpr (!Mode::every) {
      const uint16_t counted = number[i % run * threads + i / run];
      n = counted;
    }
    if (n < input.windows.least) return put_too_few(results, at);
    Totals one;
    if constexpr (Mode::exact) {
      one = Totals::of_exact(kept<Mode>(i % run, i / run, n));
    } else {
      one = kept<Mode>(i % run, i / run, n);
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
    const Totals one = Totals::of_exact(kept<Mode>(i % run, i / run, width));
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
    fold<Mode>(here);
    m.sync();
    answer<Mode>(here, first, apart_from);
  }

  ONEFOLD_KERNEL void run_all() const {
    const WindowRule& w = input.windows;
    const Size line = m.block() < deal.tiles ? 0 : quotient_of(Size{m.block()}, deal.tiles),
               window = (m.block() - line * deal.tiles) * deal.length, rest = w.count - window,
               outer = line == 0 ? 0 : quotient_of(line, w.inner),
               answers = (outer * w.count + window) * w.inner + (line - outer * w.inner);
    const unsigned here = static_cast<unsigned>(rest < deal.length ? rest : deal.length),
                   n = here + width - 1;
    const int64_t first = w.end(window) - static_cast<int64_t>(width);
    Spot spot;
    if (line != 0) spot = answer_at<false, true>(input, line);
    const auto known = this->copy(spot, first, n);
    if (!known.every) return run_in<General>(here, answers, w.inner);
    if constexpr (plain) {
      if (known.exact) return run_in<WindowMode<T, ops, true, true>>(here, answers, w.inner);
    }
    run_in<WindowMode<T, ops, true, false>>(here, answers, w.inner);
  }
};

template <class T, uint32_t ops, class M>
ONEFOLD_KERNEL void fold_windows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                 const Results<M, ops>& results, const Deal& deal) {
  WindowTile<T, ops, M>(m, input, scratch, results, deal).run_all();
}

}  // namespace onefold::kernel
