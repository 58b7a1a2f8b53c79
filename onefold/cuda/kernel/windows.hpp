// Folds windows of a rule that begin one element apart and have 8 elements or more.
//
//   tile     a block copies the elements of neighbouring windows to shared memory; elements that do
//            not count, or lie outside the line, become neutral ones
//   thread   8 neighbouring elements, and the 8 windows that begin at them. A window is a suffix of
//            these elements, whole threads' elements between, and the elements behind: about two
//            additions and two merges a window, however wide it is. Nothing is taken away, so NaN
//            and errors stay in their windows
//   answers  are rounded in the order of memory; undecided ones are computed again as segments
#pragma once

#include "onefold/cuda/kernel/end/parts.hpp"
#include "onefold/cuda/kernel/quick/answers.hpp"
#include "onefold/cuda/kernel/window_tile.hpp"

namespace onefold::kernel {

template <class T, uint32_t ops, class M>
struct WindowTile {
  static_assert(tiles_hold<T>(ops));
  using All = LaneTotals<T, ops, true>;
  static constexpr int words = All::words - 1;
  static constexpr unsigned run = window_run, warps = window_warps(words), threads = 32 * warps,
                            size = threads * run, row = threads + 2;
  // Elements of a thread lie in other banks than those of its neighbours.
  static constexpr unsigned gap = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  ONEFOLD_KERNEL static unsigned place(unsigned p) { return p + p / run * gap; }

  M m;
  const NestInput<M, T>& input;
  const Scratch<M>& scratch;
  const Results<M, ops>& results;
  const Deal& deal;
  Shared<M, T> element;
  Shared<M, uint32_t> taken;      // a bit for each element
  Shared<M, int64_t> total;       // by word, number of the window in its thread, thread
  Shared<M, int64_t> of_threads;  // by word, thread
  Shared<M, uint32_t> number;     // elements of a window that count

  ONEFOLD_KERNEL WindowTile(M on, const NestInput<M, T>& in, const Scratch<M>& s,
                            const Results<M, ops>& r, const Deal& d)
      : m(on),
        input(in),
        scratch(s),
        results(r),
        deal(d),
        element(shared<T, size / run*(run + gap), struct window_elements_>(on)),
        taken(shared<uint32_t, size / 32, struct window_taken_>(on)),
        total(shared<int64_t, words * run * row, struct window_totals_>(on)),
        of_threads(shared<int64_t, All::words * threads, struct window_threads_>(on)),
        number(shared<uint32_t, size, struct window_numbers_>(on)) {}

  ONEFOLD_KERNEL bool takes(unsigned p) const {
    const uint32_t bits = taken[p / 32];
    return (bits >> p % 32 & 1) != 0;
  }
  ONEFOLD_KERNEL void add(All& to, unsigned p) const {
    NoRange unseen;
    typename All::Batch none;
    const T x = element[place(p)];
    const bool there = takes(p);
    to.add(unseen, none, x, 0, there);
    to.taken.n += there ? 1 : 0;
  }
  ONEFOLD_KERNEL void keep(const All& t, unsigned i, unsigned thread) const {
    All copy = t;
    int k = -1;
    copy.each([&](auto& word) {
      if (k >= 0) total[(static_cast<unsigned>(k) * run + i) * row + thread] = word_of(word);
      ++k;
    });
  }
  ONEFOLD_KERNEL All kept(unsigned i, unsigned thread, uint32_t n) const {
    All t;
    int k = -1;
    t.each([&](auto& word) {
      int64_t v = n;
      if (k >= 0) v = total[(static_cast<unsigned>(k) * run + i) * row + thread];
      of_word(v, word);
      ++k;
    });
    return t;
  }

  // Copies the tile's elements, of which the first is number `first` of its line.
  //   n   elements of the tile
  ONEFOLD_KERNEL void copy(const Spot& line, int64_t first, unsigned n) const {
    constexpr uint32_t V = 4;
    const unsigned t = static_cast<unsigned>(m.thread());
    ONEFOLD_NO_UNROLL
    for (unsigned begin = t; begin < size; begin += V * threads) {
      T x[V];
      bool there[V];
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < V; ++u) {
        const unsigned p = begin + u * threads;
        const int64_t e = first + p;
        there[u] = p < n && e >= 0 && static_cast<Size>(e) < input.elements;
        x[u] = T{};
        if (!there[u]) continue;
        x[u] = input.x[line.x + e * deal.apart];
        if (!input.chosen.masked) continue;
        const uint8_t one = input.mask[line.mask + e * input.axis[input.kept].stride[2]];
        there[u] = one != 0;
      }
      ONEFOLD_UNROLL
      for (unsigned u = 0; u < V; ++u) {
        const unsigned p = begin + u * threads;
        if constexpr (Floating<T>) there[u] = there[u] && !(input.chosen.omit && is_a_nan(x[u]));
        const uint32_t bits = m.ballot(there[u]);
        if (p >= size) continue;
        if (!there[u]) x[u] = bit_cast<T>(bits_of_fill<T>(All::fill));
        element[place(p)] = x[u];
        if (p % 32 == 0) taken[p / 32] = bits;
      }
    }
  }
  // Finds the totals of windows 0 .. here - 1 of the tile.
  ONEFOLD_KERNEL void fold(unsigned here) const {
    const unsigned t = static_cast<unsigned>(m.thread());
    {
      All suffix;
      ONEFOLD_NO_UNROLL
      for (unsigned i = run; i-- > 0;) {
        add(suffix, t * run + i);
        keep(suffix, i, t);
      }
      suffix.store(of_threads + t, threads);
    }
    m.sync();
    if (t * run >= here) return;
    const auto width = static_cast<unsigned>(input.windows.width);
    const unsigned whole = width / run;
    const uint32_t bits = taken[t * run / 32], own = bits >> t * run % 32 & 0xff;
    All behind;
    ONEFOLD_NO_UNROLL
    for (unsigned b = t + 1; b < t + whole; ++b) {
      behind.add(All::load(of_threads + b, threads));
    }
    unsigned p = (t + whole) * run;
    ONEFOLD_NO_UNROLL
    for (unsigned k = width % run; k > 0; --k) add(behind, p++);
    ONEFOLD_NO_UNROLL
    for (unsigned i = 0; i < run && t * run + i < here; ++i) {
      if (i > 0) add(behind, p++);
      All one = kept(i, t, static_cast<uint32_t>(m.count_bits(own >> i)));
      one.add(behind);
      keep(one, i, t);
      number[i * threads + t] = static_cast<uint32_t>(one.taken.n);
    }
  }
  // Rounds the answers; that of window i is number first + i * apart.
  ONEFOLD_KERNEL void answer(unsigned here, Size first, Size apart) const {
    ONEFOLD_NO_UNROLL
    for (unsigned i = static_cast<unsigned>(m.thread()); i < here; i += threads) {
      const unsigned of = i % run, thread = i / run;
      const uint32_t n = number[of * threads + thread];
      const Size at = first + i * apart;
      if (n < input.windows.least) {
        put_too_few(results, at);
        continue;
      }
      const All one = kept(of, thread, n);
      const bool sure =
          LaneAnswers<T, ops, true, true>::put_all(m, one, input, deal.formulas, results, at);
      if constexpr (any_is_rounded<T>(ops)) {
        if (!sure) note_undecided(m, scratch, at);
      }
    }
  }
  ONEFOLD_KERNEL void run_all() const {
    const WindowRule& w = input.windows;
    const Size line = quotient_of(Size{m.block()}, deal.tiles),
               tile = m.block() - line * deal.tiles, first = tile * deal.length,
               rest = w.count - first;
    const unsigned here = static_cast<unsigned>(rest < deal.length ? rest : deal.length);
    const Size outer = quotient_of(line, w.inner);
    copy(answer_at<false, true>(input, line), w.end(first) - static_cast<int64_t>(w.width),
         here + static_cast<unsigned>(w.width) - 1);
    m.sync();
    fold(here);
    m.sync();
    answer(here, (outer * w.count + first) * w.inner + (line - outer * w.inner), w.inner);
  }
};

template <class T, uint32_t ops, class M>
ONEFOLD_KERNEL void fold_windows(M m, const NestInput<M, T>& input, const Scratch<M>& scratch,
                                 const Results<M, ops>& results, const Deal& deal) {
  WindowTile<T, ops, M>(m, input, scratch, results, deal).run_all();
}

}  // namespace onefold::kernel
