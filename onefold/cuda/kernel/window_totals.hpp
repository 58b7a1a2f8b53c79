// The totals of the windows of a tile, in shared memory (windows.hpp).
#pragma once

#include "onefold/cuda/kernel/window_elements.hpp"

namespace onefold::kernel {

// How the elements of a tile count.
//   every  all of them
//   exact  sums of a window's elements have no errors
//   shift  the pivot is subtracted from each
template <class T, OpSet ops, bool each_one, bool no_errors, bool pivots = false>
struct WindowMode {
  using All = LaneTotals<T, ops, true, no_errors>;
  static constexpr bool every = each_one, exact = no_errors, shift = pivots;
  static constexpr int words = All::words - 1;  // without the count
  static constexpr bool unrolled = words <= 3;
};

template <class T, OpSet ops, class M>
struct WindowTotals : WindowElements<T, ops, M> {
  using Elements = WindowElements<T, ops, M>;
  using Elements::deal, Elements::element, Elements::input, Elements::m, Elements::own_bits,
      Elements::place, Elements::plain, Elements::run, Elements::shifts, Elements::size,
      Elements::takes, Elements::thread, Elements::threads, Elements::width;
  using typename Elements::Totals;
  using General = WindowMode<T, ops, false, false>;
  static constexpr int words = General::words;
  static constexpr unsigned row = threads + 2;

  Shared<M, int64_t> total;       // by word, number of the window in its thread, thread
  Shared<M, int64_t> of_threads;  // by word, thread
  Shared<M, uint32_t> number;     // elements of a window that count
  double pivot = 0;

  ONEFOLD_KERNEL WindowTotals(M on, const NestInput<M, T>& in, const Deal& d)
      : Elements(on, in, d),
        total(shared<int64_t, words * run * row, struct window_totals_>(on)),
        of_threads(shared<int64_t, Totals::words * threads, struct window_threads_>(on)),
        number(shared<uint32_t, size, struct window_numbers_>(on)) {}

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
    if constexpr (Mode::shift) {
      const double d = f64_of(x) - pivot;
      to.sums.template add<Totals::floats>(d, d);
    } else {
      to.add(unseen, none, x, 0, there);
    }
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

  // Keeps the totals of this thread's last elements, of 1 to 8 of them; returns those of all.
  template <class Mode>
  ONEFOLD_KERNEL typename Mode::All keep_suffixes() const {
    typename Mode::All suffix;
    each_of_run<Mode::unrolled>([&](unsigned i) {
      add<Mode>(suffix, thread * run + (run - 1 - i));
      keep<Mode>(suffix, run - 1 - i, thread);
    });
    return suffix;
  }
  // Keeps the totals of this thread's windows, of which `here` are in the tile.
  //   own     a bit for each of its elements that counts
  //   behind  what the first window has behind them; the next ones' elements follow from p on
  template <class Mode>
  ONEFOLD_KERNEL void keep_windows(unsigned here, uint32_t own, typename Mode::All& behind,
                                   unsigned p) const {
    each_of_run<Mode::unrolled>([&](unsigned i) {
      if (thread * run + i >= here) return;
      if (i > 0) add<Mode>(behind, p + i - 1);
      auto one = kept<Mode>(i, thread, static_cast<uint32_t>(m.count_bits(own >> i)));
      one.add(behind);
      keep<Mode>(one, i, thread);
      if constexpr (!Mode::every) number[i * threads + thread] = one.taken.n;
    });
  }
  // Finds the totals of windows 0 .. here - 1 of the tile.
  template <class Mode>
  ONEFOLD_KERNEL void fold(unsigned here) const {
    using All = typename Mode::All;
    if (width < run) return fold_narrow<Mode>(here);
    keep_suffixes<Mode>().store(of_threads + thread, threads);
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
    keep_windows<Mode>(here, own, behind, p);
  }
  // The same, element by element.
  template <class Mode>
  ONEFOLD_KERNEL void fold_narrow(unsigned here) const {
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < run && thread * run + i < here; ++i) {
      typename Mode::All one;
      ONEFOLD_NO_UNROLL
      for (unsigned k = 0; k < width; ++k) add<Mode>(one, thread * run + i + k);
      keep<Mode>(one, i, thread);
      if constexpr (!Mode::every) number[i * threads + thread] = one.taken.n;
    }
  }

  // Returns the totals of the places behind `at`; `all` becomes those of all places, of which each
  // thread has one.
  ONEFOLD_KERNEL Totals totals_behind(const Totals& own, unsigned at, Totals& all) const {
    Totals sum = own;
    sum.store(of_threads + at, threads);
    m.sync();
    ONEFOLD_NO_UNROLL
    for (unsigned d = 1; d < threads; d *= 2) {
      Totals next;
      if (at + d < threads) next = Totals::load(of_threads + (at + d), threads);
      m.sync();
      sum.add(next);
      sum.store(of_threads + at, threads);
      m.sync();
    }
    all = Totals::load(of_threads, threads);
    Totals rest;
    if (at + 1 < threads) rest = Totals::load(of_threads + (at + 1), threads);
    m.sync();
    return rest;
  }
  // Folds wide windows, of which the first has the line's elements from `first` on.
  ONEFOLD_KERNEL void fold_wide(const Spot& line, int64_t first, unsigned here) const {
    const auto length = static_cast<unsigned>(deal.length);
    Totals all;
    this->copy_some(line, first, length);
    m.sync();
    const uint32_t own = own_bits();
    Totals behind = totals_behind(keep_suffixes<General>(), thread, all);
    Totals middle;
    ONEFOLD_NO_UNROLL
    for (unsigned p = length + thread; p < width; p += threads) {
      NoRange unseen;
      typename Totals::Batch none;
      T x{};
      if (!this->read(line, first + p, x)) continue;
      middle.add(unseen, none, x, 0, true);
      ++middle.taken.n;
    }
    totals_behind(middle, thread, all);
    behind.add(all);
    this->copy_some(line, first + static_cast<int64_t>(width), here);
    m.sync();
    Totals mine;
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < run; ++i) add<General>(mine, thread * run + i);
    behind.add(totals_behind(mine, threads - 1 - thread, all));
    keep_windows<General>(here, own, behind, thread * run);
  }
};

}  // namespace onefold::kernel
