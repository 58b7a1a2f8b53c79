// The steps before and after the sums of groups are gathered: choosing windows, adding elements
// that fit no window, and finding whether all elements of a sum of 0 are -0.
//
//   sample    4,096 elements. Windows end two binades above the largest of them, after 1 in 512 is
//             left out as an outlier. There are one or a few windows if they hold nearly all
//             elements, otherwise none
//   rows      a group with elements that fit no window gets a row, the words of a state (state.hpp)
//   zeros     a sum is -0 if all its elements are -0. If some element is -0 and some sum is 0, all
//             elements are read once more to set the flags of groups whose sums are 0
#pragma once

#include "onefold/cuda/kernel/labels/sums.hpp"
#include "onefold/cuda/kernel/labels/units.hpp"
#include "onefold/cuda/kernel/workspace.hpp"

namespace onefold::kernel {

// A group's word. While `gather` runs, it counts elements that fit no window. Then `number`
// replaces it by bit fields: row number + 1, whether the sum is 0, how many threads found a -0
// among the group's elements, and how many another number.
struct Mark {
  enum : unsigned { row_bits = 22, zero_bit = 22, negative_zeros = 23, others = 43 };
  int64_t v = 0;

  ONEFOLD_KERNEL int64_t row() const { return (v & ((int64_t{1} << row_bits) - 1)) - 1; }
  ONEFOLD_KERNEL bool is_zero() const { return (v >> zero_bit & 1) != 0; }
  ONEFOLD_KERNEL bool has_negative_zero() const {
    return (v >> negative_zeros & ((int64_t{1} << 20) - 1)) != 0;
  }
  ONEFOLD_KERNEL bool has_other() const { return v >> others != 0; }
};

template <class M, class T, uint32_t set>
struct RestOfLabels {
  enum : unsigned { threads = 32 * label_sum_warps, samples = 4096 };
  using In = LabelSums<M, T>;
  using Raw = bits_of<T>;
  using State = StateOf<T, set>;
  static constexpr bool sums = State::has(Accumulator::sum),
                        squares = State::has(Accumulator::sumsq),
                        real = Floating<T> && (sums || squares),
                        signed_zeros = Floating<T> && sums;  // sums may be -0

  M m;
  const In& in;

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }
  ONEFOLD_KERNEL Size thread_of_all() const { return Size{m.block()} * threads + t(); }
  ONEFOLD_KERNEL Size all_threads() const { return Size{m.blocks()} * threads; }
  ONEFOLD_KERNEL Raw element(Size i) const {
    const Raw v = m.template as<Raw>(in.x)[static_cast<int64_t>(i) * in.apart];
    return v;
  }
  ONEFOLD_KERNEL void begin() const {
    ONEFOLD_NO_UNROLL
    for (Size k = in.marks() + thread_of_all(); k < in.rows_at(); k += all_threads()) {
      in.words[k] = int64_t{0};
    }
    if (m.block() != 0) return;
    Windows windows;
    int count = 1;
    if constexpr (real) count = place(windows);
    if (t() >= static_cast<unsigned>(In::head_words)) return;
    in.words[t()] = t() == static_cast<unsigned>(In::windows) ? int64_t{count}
                    : t() == static_cast<unsigned>(In::base)  ? int64_t{windows.base}
                                                              : int64_t{0};
  }
  // Called by a block: returns the number of windows and sets their positions; 0: no windows hold
  // nearly all elements.
  ONEFOLD_KERNEL int place(Windows& windows) const {
    using Form = ImageForm<T>;
    constexpr int each = samples / threads;
    int field[each];
    int top = 0;
    // Odd; an even step might read only one column of a matrix.
    const Size apart = in.n / samples | 1;
    ONEFOLD_UNROLL
    for (int k = 0; k < each; ++k) {
      const Size i = (static_cast<Size>(k) * threads + t()) * apart;
      field[k] = 0;
      if (!m.branch(i < in.n)) continue;
      const Raw raw = element(i);
      // 0 fits any window, and an omitted NaN needs none
      const bool any = image_of<T>(raw) << 1 == 0 || (in.omit && is_nan<T>(raw));
      field[k] = any ? 0 : Form::exponent(raw) == 0 ? 1 : Form::exponent(raw);
    }
    const auto count_if = [&](auto is) {
      int n = 0;
      ONEFOLD_UNROLL
      for (int k = 0; k < each; ++k) n += is(field[k]) ? 1 : 0;
      return of_block(m.redux_add(n));
    };
    const int sampled = in.n < samples ? static_cast<int>(in.n) : int{samples};
    ONEFOLD_NO_UNROLL
    for (int bit = 1 << (Form::exponent_bits - 1); bit != 0; bit /= 2) {
      const int tried = top + bit;
      const int above = count_if([&](int f) { return f >= tried && f != Form::infinite; });
      if (above > sampled / 512) top = tried;
    }
    const auto base_of = [&](uint32_t count) {
      constexpr int most = Form::infinite - 1;
      const int end = top + 3 < most ? top + 3 : most,
                base = end - static_cast<int>(count) * in.span;
      return base < 1 ? 1 : base;
    };
    // The few narrow windows may miss 1 element in 256, the more numerous broad ones 1 in 64.
    int count = 0;
    ONEFOLD_NO_UNROLL
    for (int turn = 0; turn < 2 && count == 0; ++turn) {
      const uint32_t tried = turn == 0 ? in.narrow : in.broad;
      const int base = base_of(tried), end = base + static_cast<int>(tried) * in.span;
      const int outside = count_if([&](int f) { return f != 0 && (f < base || f >= end); });
      if (outside > static_cast<int>(samples) / (turn == 0 ? 256 : 64)) continue;
      count = static_cast<int>(tried);
      windows.base = base;
    }
    return count;
  }
  // Returns the sum over the warps of a block.
  ONEFOLD_KERNEL int of_block(int mine) const {
    auto of_warps = shared<int, label_sum_warps, struct of_warps_>(m);
    if (t() % 32 == 0) of_warps[t() / 32] = mine;
    m.sync();
    int one = 0;
    if (t() % 32 < label_sum_warps) one = of_warps[t() % 32];
    m.sync();
    return m.redux_add(one);
  }

  // Whether the sums can be answered: no bad label, windows exist, and the list was long enough.
  // `holds` also asks whether there were enough rows.
  ONEFOLD_KERNEL bool is_gathered() const {
    const int64_t bad = in.words[int{In::bad}], left = in.words[int{In::left}],
                  windows = in.words[int{In::windows}];
    return bad == 0 && windows != 0 && left <= static_cast<int64_t>(in.most_left);
  }
  ONEFOLD_KERNEL bool holds() const {
    const int64_t rows = in.words[int{In::rows}];
    return is_gathered() && rows <= static_cast<int64_t>(in.most_rows);
  }
  // Returns the sum of a group's elements that fit a window; the next function, of their squares.
  ONEFOLD_KERNEL Int128 total(Size group) const {
    Uint128 sum = 0;
    ONEFOLD_NO_UNROLL
    for (uint32_t p = 0; sums && p < in.planes(); ++p) {
      const int64_t v = in.words[in.sums() + p * in.groups + group];
      auto word = static_cast<Uint128>(static_cast<Int128>(v));
      if constexpr (is_long<T>) {
        // The low half of a sum in memory has no sign.
        if (!in.tables && p == 0) word = static_cast<uint64_t>(v);
        sum += word << (in.tables ? 32 : 64) * static_cast<int>(p);
      } else {
        const uint32_t window = p < in.broad ? p : p - in.broad;
        sum += word << (static_cast<int>(window) * in.span + (p < in.broad ? 0 : 32));
      }
    }
    return static_cast<Int128>(sum);
  }
  ONEFOLD_KERNEL Uint128 square_total(Size group) const {
    Uint128 sum = 0;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < square_words; ++k) {
      const int64_t v = in.words[in.squared() + k * in.groups + group];
      sum += static_cast<Uint128>(static_cast<uint64_t>(v)) << 32 * k;
    }
    return sum;
  }

  ONEFOLD_KERNEL void number() const {
    const int64_t left = in.words[int{In::left}];
    const int64_t zeros = signed_zeros ? in.words[int{In::negative_zeros}] : int64_t{0};
    if ((left == 0 && zeros == 0) || !is_gathered()) return;
    ONEFOLD_NO_UNROLL
    for (Size g = thread_of_all(); g < in.groups; g += all_threads()) {
      const int64_t some = in.words[in.marks() + g];
      int64_t mark = 0;
      if (m.branch(some != 0)) mark = new_row() + 1;
      if (m.branch(zeros != 0 && total(g) == 0)) {
        mark |= int64_t{1} << Mark::zero_bit;
        const auto found = in.words + int{In::zero_sums};
        if (m.branch(load_relaxed<int64_t>(m, found, 0) == 0)) m.add(found, 0, int64_t{1});
      }
      in.words[in.marks() + g] = mark;
    }
  }

  // Takes the next free row and clears it; -1 if there are no more rows (the counter `rows` tells).
  ONEFOLD_KERNEL int64_t new_row() const {
    const int64_t row = m.add(in.words, int{In::rows}, int64_t{1});
    if (row >= static_cast<int64_t>(in.most_rows)) return -1;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < Size{State::words}; ++k) {
      in.words[in.rows_at() + static_cast<Size>(row) * State::words + k] = int64_t{0};
    }
    return row;
  }

  ONEFOLD_KERNEL void rest() const {
    if (!holds()) return;
    const int64_t left = in.words[int{In::left}];
    ONEFOLD_NO_UNROLL
    for (Size k = thread_of_all(); k < static_cast<Size>(left); k += all_threads()) {
      const Size entry = in.list() + in.entry_words() * k;
      const int64_t one = in.words[entry], raw = in.words[entry + in.entry_words() - 1];
      const Mark mark = mark_of(is_long<T> ? static_cast<Size>(one) : static_cast<Size>(one) >> 32);
      const T x = bit_cast<T>(static_cast<Raw>(raw));
      const Size row = in.rows_at() + static_cast<Size>(mark.row()) * State::words;
      const auto sink = [&](Accumulator a) {
        return [this, at = row + static_cast<Size>(State::offset(a))](int word, int64_t v) {
          m.add(in.words, at + static_cast<Size>(word), v);
        };
      };
      if constexpr (sums) {
        // `sum` ignores infinities and NaN; the tally counts them.
        accumulator::sum<T>::lift(sink(Accumulator::sum), x, 0);
      }
      if constexpr (squares) accumulator::sumsq<T>::lift(sink(Accumulator::sumsq), x, 0);
      accumulator::tally<T>::lift(sink(Accumulator::tally), x, 0);
    }
    if constexpr (signed_zeros) {
      const int64_t zero_sums = in.words[int{In::zero_sums}];
      if (zero_sums != 0) find_negative_zeros();
    }
  }
  // Loads the group's word, to which other threads may add at the same time.
  ONEFOLD_KERNEL Mark mark_of(Size group) const {
    return {load_relaxed<int64_t>(m, in.words + (in.marks() + group), 0)};
  }
  // A thread adds to a group's word at most twice, since it sees what it has added before.
  ONEFOLD_KERNEL void find_negative_zeros() const {
    ONEFOLD_NO_UNROLL
    for (Size i = thread_of_all(); i < in.n; i += all_threads()) {
      const uint32_t group = in.labels.group_at(m, i);
      if (!m.branch(group != no_group)) continue;
      const Mark mark = mark_of(group);
      if (!m.branch(mark.is_zero())) continue;
      const Raw raw = element(i);
      const bool negative_zero = raw == Raw{1} << (8 * sizeof(T) - 1);
      if (in.omit && is_nan<T>(raw)) continue;
      const bool known = negative_zero ? mark.has_negative_zero() : mark.has_other();
      if (!m.branch(!known)) continue;
      const int64_t one = int64_t{1} << (negative_zero ? Mark::negative_zeros : Mark::others);
      m.add(in.words, in.marks() + group, one);
    }
  }
};

}  // namespace onefold::kernel
