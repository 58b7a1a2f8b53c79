// Sums, sums of squares and counts of groups of elements of up to 32 bits, without sorting the
// elements.
//
//   steps    begin, gather, number, rest, answer: one launch each, of any grid
//   tables   in a block's shared memory: the low and the high half of each sum, with two 32-bit
//            atomics for each element, three words of each sum of squares, with three; 1 to 32
//            copies, so that lanes of one warp seldom add to the same word
//   memory   for more groups: a word for each sum in global memory, with one 64-bit atomic for each
//            element. If many elements of a warp have one label, its lanes add them first. Squares
//            are not added there
//   exact    integers (units.hpp), so the order of additions does not matter. Elements without
//            units are listed, and added to limbs (rest.hpp)
//   given up if many elements of the sample or the list have no units: `windows` is 0, or `left` is
//            above `most_left`, and no answer is written; neither is one if a label is bad. The
//            last step writes which it is (Verdict)
#pragma once

#include "onefold/kernel/labels/label_array.hpp"
#include "onefold/kernel/labels/table.hpp"
#include "onefold/kernel/labels/units.hpp"
#include "onefold/kernel/number/scalar.hpp"
#include "onefold/kernel/state.hpp"

namespace onefold::kernel {

enum class SumStep : uint8_t { begin, gather, number, rest, answer };

inline constexpr unsigned label_sum_warps = 16;  // of a block
// Shared memory of the tables of a block, two of which fit a multiprocessor of 227 KiB.
inline constexpr unsigned label_table_bytes = 96 << 10;

template <class M, class T>
struct LabelSums {
  // The first words: threads that found a label of no group, elements without units, groups that
  // have some, threads that found a -0, and a sum of 0; how many windows there are, and where.
  // The last one is the Verdict.
  enum : int { bad, left, rows, negative_zeros, zero_sums, windows, base, told_words };
  enum : int { verdict = told_words, head_words };

  In<M, T> x;
  LabelArray<M> labels;
  Out<M, int64_t> words;
  Out<M, int64_t> told;  // the first words but the verdict once more, for the host
  Size n = 0, groups = 0;
  int64_t apart = 1;   // elements, from one to the next
  bool wide = false;   // four elements, and four labels, are read at once
  bool tables = true;  // else in memory
  bool counts = false;
  bool squares = false;            // of one window
  bool omit = false;               // NaN are not there
  uint32_t table_words = 0;        // of 32 bits, of a block
  uint32_t narrow = 1, broad = 1;  // windows of like-sized elements, and of others
  int span = 0;
  Size most_left = 0, most_rows = 0;
  uint32_t row_words = 0;
  SumStep step = SumStep::begin;

  // After the head a mark for each group, its count, its sums and its squares by planes, rows of
  // limbs, the list.
  ONEFOLD_FN Size marks() const { return head_words; }
  ONEFOLD_FN Size counted() const { return marks() + groups; }
  ONEFOLD_FN Size sums() const { return counted() + (counts ? groups : 0); }
  ONEFOLD_FN uint32_t planes() const { return tables ? 2 * broad : broad; }
  ONEFOLD_FN Size squared() const { return sums() + planes() * groups; }
  ONEFOLD_FN Size rows_at() const { return squared() + (squares ? square_words * groups : 0); }
  ONEFOLD_FN Size list() const { return rows_at() + most_rows * row_words; }
  ONEFOLD_FN Size all_words() const { return list() + most_left; }
};

//   counting   elements are counted too
//   omits      NaN are of no group
template <class M, class T, uint32_t set, bool counting, bool omits>
struct GatherLabels {
  enum : unsigned { threads = 32 * label_sum_warps, at_once = 4 };
  using In = LabelSums<M, T>;
  using Raw = bits_of<T>;
  static constexpr bool sums = Accumulators(set).has(Accumulator::sum),
                        squares = Accumulators(set).has(Accumulator::sumsq);

  M m;
  const In& in;
  Windows windows;
  bool bad = false, negative_zero = false;

  ONEFOLD_KERNEL unsigned t() const { return static_cast<unsigned>(m.thread()); }

  // Elements 4 i .. 4 i + 3 of what begins at a multiple of 16 bytes, or of 4 elements.
  template <class U, class P>
  ONEFOLD_KERNEL void load_four(P from, Size i, U (&to)[at_once]) const {
    if constexpr (sizeof(U) >= 4) {
      constexpr unsigned vectors = sizeof(U) / 4, size = Vector16<U>::size;
      ONEFOLD_UNROLL
      for (unsigned v = 0; v < vectors; ++v) {
        const Vector16<U> four = m.stream(m.by_vector(from), i * vectors + v);
        ONEFOLD_UNROLL
        for (unsigned k = 0; k < size; ++k) to[v * size + k] = four.v[k];
      }
    } else {
      using Word = typename detail::Bits<at_once * sizeof(U)>::type;
      const Word four = m.read_once(m.template as<Word>(from), i);
      ONEFOLD_UNROLL
      for (unsigned k = 0; k < at_once; ++k) to[k] = static_cast<U>(four >> 8 * sizeof(U) * k);
    }
  }
  // Elements as they are read, and with the groups that they are of.
  template <class L>
  struct Labelled {
    L label[at_once];
    Raw x[at_once];
    bool there;
  };
  template <int n>
  struct Grouped {
    uint32_t group[n];
    Raw x[n];
  };
  // Vectors of a launch.
  ONEFOLD_KERNEL Size vectors() const { return in.wide ? in.n / at_once : 0; }
  template <class L>
  ONEFOLD_KERNEL Labelled<L> load(Size vector, bool there) const {
    Labelled<L> e = {};
    e.there = there;
    if (!m.branch(there)) return e;
    load_four<L>(m.template as<L>(in.labels.at), vector, e.label);
    load_four<Raw>(m.template as<Raw>(in.x), vector, e.x);
    return e;
  }
  template <class L>
  ONEFOLD_KERNEL Grouped<at_once> grouped(const Labelled<L>& e) {
    Grouped<at_once> all;
    ONEFOLD_UNROLL
    for (unsigned k = 0; k < at_once; ++k) {
      all.group[k] = e.there ? in.labels.group_of(e.label[k]) : no_group;
      all.x[k] = e.x[k];
      bad = bad | (e.there && all.group[k] == no_group);
      if (omits && is_nan<T>(e.x[k])) all.group[k] = no_group;
    }
    return all;
  }
  // An element that may be in no vector.
  ONEFOLD_KERNEL Grouped<1> single(Size i, bool there) {
    Grouped<1> one{{no_group}, {}};
    if (!m.branch(there)) return one;
    const Raw v = m.template as<Raw>(in.x)[static_cast<int64_t>(i) * in.apart];
    one.x[0] = v;
    one.group[0] = in.labels.group_at(m, i);
    bad = bad | (one.group[0] == no_group);
    if (omits && is_nan<T>(v)) one.group[0] = no_group;
    return one;
  }
  template <int count>
  ONEFOLD_KERNEL static InUnits units_of(Raw raw, const Windows& windows, bool there) {
    if constexpr (sums || squares) return in_units<T, count>(raw, windows, there);
    InUnits u;
    if constexpr (Floating<T>) u.has = !there || exponent_field(f32_bits<T>(raw)) != 255;
    return u;
  }
  template <int count>
  ONEFOLD_KERNEL InUnits units_of(Raw raw, uint32_t group) {
    if constexpr (sums && Floating<T>) {
      negative_zero = negative_zero | (raw == Raw{1} << (8 * sizeof(T) - 1));
    }
    return units_of<count>(raw, windows, group != no_group);
  }
  // Lists those of some elements that have no units, and marks their groups.
  template <int count, int n>
  ONEFOLD_KERNEL_COLD static void leave(M m, const In& in, Grouped<n> all, Windows windows) {
    ONEFOLD_NO_UNROLL
    for (int k = 0; k < n; ++k) {
      const InUnits u = units_of<count>(all.x[k], windows, all.group[k] != no_group);
      if (!m.branch(!u.has)) continue;
      m.add(in.words, in.marks() + all.group[k], int64_t{1});
      const auto slot = static_cast<Size>(m.add(in.words, int{In::left}, int64_t{1}));
      if (slot >= in.most_left) continue;
      in.words[in.list() + slot] = static_cast<int64_t>(Size{all.group[k]} << 32 | all.x[k]);
    }
  }
  ONEFOLD_KERNEL void tell() const {
    if (m.branch(bad)) m.add(in.words, int{In::bad}, int64_t{1});
    if (m.branch(negative_zero)) m.add(in.words, int{In::negative_zeros}, int64_t{1});
  }

  template <int count>
  using Table = LabelTable<M, set, counting, count, Floating<T>>;
  template <int count, int n>
  ONEFOLD_KERNEL void add_to(const Table<count>& table, const Grouped<n>& all) {
    const auto groups = static_cast<uint32_t>(in.groups);
    uint32_t at[n], old[n];
    int64_t units[n];
    bool left = false;
    ONEFOLD_UNROLL
    for (int k = 0; k < n; ++k) {
      const uint32_t group = all.group[k];
      const InUnits u = units_of<count>(all.x[k], group);
      left = left | !u.has;
      units[k] = u.v;
      // What is of no group adds 0 somewhere: so no addition has a branch.
      const uint32_t row = (group != no_group ? group : 0) + (count > 1 ? u.window * groups : 0);
      at[k] = (row << table.copy_bits) + table.copy;
    }
    ONEFOLD_UNROLL
    for (int k = 0; sums && k < n; ++k) {
      old[k] = m.add(table.low, at[k], static_cast<uint32_t>(units[k]));
    }
    ONEFOLD_UNROLL
    for (int k = 0; sums && k < n; ++k) {
      const bool carry = old[k] + static_cast<uint32_t>(units[k]) < old[k];
      const uint32_t high = static_cast<uint32_t>(units[k] >> 32) + (carry ? 1 : 0);
      // Of floats hardly any is 0, of integers most are.
      if (Floating<T> || m.branch(high != 0)) m.add(table.high, at[k], high);
    }
    ONEFOLD_UNROLL
    for (int k = 0; counting && k < n; ++k) {
      if (!m.branch(all.group[k] != no_group)) continue;
      m.add(table.counts, (all.group[k] << table.copy_bits) + table.copy, 1u);
    }
    ONEFOLD_UNROLL
    for (int k = 0; squares && k < n; ++k) table.add_square(at[k], units[k]);
    if (m.branch(left)) leave<count>(m, in, all, windows);
  }
  template <int count>
  ONEFOLD_KERNEL void gather_in_tables() {
    const Table<count> table(m, static_cast<uint32_t>(in.groups), in.table_words);
    ONEFOLD_NO_UNROLL
    for (uint32_t k = t(); k < table.words(); k += threads) table.low[k] = 0u;
    m.sync();
    const Size first = Size{m.block()} * threads + t(), step = Size{m.blocks()} * threads,
               all = vectors();
    in.labels.with_type([&]<class L>() {
      ONEFOLD_NO_UNROLL
      for (Size i = first; i < all; i += 2 * step) {
        const auto one = load<L>(i, true), other = load<L>(i + step, i + step < all);
        add_to(table, grouped(one));
        add_to(table, grouped(other));
      }
    });
    ONEFOLD_NO_UNROLL
    for (Size i = at_once * all + first; i < in.n; i += step) add_to(table, single(i, true));
    m.sync();
    add_sums(table);
  }
  // Adds a block's tables to those in memory. Lanes begin at copies one further, in other banks.
  template <int count>
  ONEFOLD_KERNEL void add_sums(const Table<count>& table) const {
    const Size planes = Size{in.broad} * in.groups;
    ONEFOLD_NO_UNROLL
    for (uint32_t g = t(); g < (sums ? table.sums : table.groups); g += threads) {
      int64_t low = 0, high = 0, n = 0, square[square_words] = {};
      ONEFOLD_NO_UNROLL
      for (uint32_t c = 0; c < table.copies; ++c) {
        const uint32_t at = (g << table.copy_bits) + ((c + g) & (table.copies - 1));
        if constexpr (sums) {
          const uint32_t l = table.low[at], h = table.high[at];
          low += int64_t{l};
          high += int64_t{static_cast<int32_t>(h)};
        }
        if constexpr (squares) {
          ONEFOLD_UNROLL
          for (unsigned k = 0; k < square_words; ++k) {
            const uint32_t word = table.squares[k * table.square_plane() + at];
            square[k] += int64_t{word};
          }
        }
        if (!counting || !m.branch(g < table.groups)) continue;
        const uint32_t counted = table.counts[at];
        n += int64_t{counted};
      }
      if (m.branch(low != 0)) m.add(in.words, in.sums() + g, low);
      if (m.branch(high != 0)) m.add(in.words, in.sums() + planes + g, high);
      if (m.branch(n != 0)) m.add(in.words, in.counted() + g, n);
      ONEFOLD_UNROLL
      for (unsigned k = 0; squares && k < square_words; ++k) {
        if (m.branch(square[k] != 0)) m.add(in.words, in.squared() + k * in.groups + g, square[k]);
      }
    }
  }

  // A group that the warp's elements have been of often: a lane's sums of it.
  template <int count>
  struct Hot {
    uint32_t group = no_group;
    int counted = 0;
    int64_t sums[count] = {};
  };
  // Adds what the warp has of its group to the words in memory.
  template <int count>
  ONEFOLD_KERNEL_COLD static void give_up(M m, const In& in, Hot<count> hot) {
    if (hot.group == no_group) return;
    const bool first = static_cast<unsigned>(m.thread()) % 32 == 0;
    ONEFOLD_NO_UNROLL
    for (unsigned w = 0; sums && w < count; ++w) {
      const WarpSum s = warp_sum(m, hot.sums[w]);
      const int64_t v = s.low + s.high * (int64_t{1} << 44);
      if (first && v != 0) m.add(in.words, in.sums() + w * in.groups + hot.group, v);
    }
    if (!counting) return;
    const int64_t all = m.redux_add(hot.counted);
    if (first) m.add(in.words, in.counted() + hot.group, all);
  }
  // By a whole warp.
  template <int count, int n>
  ONEFOLD_KERNEL void add_in_memory(const Grouped<n>& all, Hot<count>& hot) {
    bool left = false;
    const uint32_t next = hot_of(m, all.group[0]);
    if (next != no_group && next != hot.group) {
      give_up(m, in, hot);
      hot = {};
      hot.group = next;
    }
    ONEFOLD_UNROLL
    for (int k = 0; k < n; ++k) {
      const uint32_t group = all.group[k];
      const InUnits u = units_of<count>(all.x[k], group);
      left = left | !u.has;
      const bool is_hot = group == hot.group;
      hot.counted += is_hot ? 1 : 0;
      ONEFOLD_UNROLL
      for (int w = 0; w < count; ++w) {
        hot.sums[w] += is_hot && static_cast<int>(u.window) == w ? u.v : 0;
      }
      if (!m.branch(!is_hot && group != no_group)) continue;
      if (m.branch(u.v != 0)) m.add(in.words, in.sums() + u.window * in.groups + group, u.v);
      if (counting) m.add(in.words, in.counted() + group, int64_t{1});
    }
    if (m.branch(left)) leave<count>(m, in, all, windows);
  }
  template <int count>
  ONEFOLD_KERNEL void gather_in_memory() {
    const Size step = Size{m.blocks()} * threads, all = vectors();
    Hot<count> hot;
    ONEFOLD_NO_UNROLL
    for (Size at = Size{m.block()} * threads; at < all; at += step) {
      Grouped<at_once> some;
      in.labels.with_type([&]<class L>() { some = grouped(load<L>(at + t(), at + t() < all)); });
      add_in_memory(some, hot);
    }
    ONEFOLD_NO_UNROLL
    for (Size at = at_once * all + Size{m.block()} * threads; at < in.n; at += step) {
      add_in_memory(single(at + t(), at + t() < in.n), hot);
    }
    give_up(m, in, hot);
  }

  ONEFOLD_KERNEL void gather() {
    const int64_t count = in.words[int{In::windows}], base = in.words[int{In::base}];
    if (count == 0) return;
    windows = {static_cast<int>(base), in.span};
    constexpr bool real = sums && !squares && Floating<T>;
    if constexpr (squares) {
      gather_in_tables<1>();
    } else if (!in.tables) {
      gather_in_memory<real ? 4 : 1>();
    } else if (!real || count == 1) {
      gather_in_tables<1>();
    } else {
      gather_in_tables<real ? 3 : 1>();
    }
    tell();
  }
};

}  // namespace onefold::kernel
