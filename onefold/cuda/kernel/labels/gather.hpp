// The step `gather` of sums by label: adds elements, as integers in a common unit, to a block's
// tables in shared memory, or to words in global memory.
#pragma once

#include "onefold/cuda/kernel/labels/elements.hpp"

namespace onefold::kernel {

template <class M, class T, uint32_t set, bool counting, bool omits>
struct GatherLabels : LabelledElements<M, T, set, counting, omits> {
  using Base = LabelledElements<M, T, set, counting, omits>;
  using typename Base::In;
  template <int n>
  using Grouped = typename Base::template Grouped<n>;
  using Base::at_once, Base::threads, Base::sums, Base::squares;
  using Base::m, Base::in, Base::windows;
  using Base::t, Base::vectors, Base::grouped, Base::single, Base::tell;

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
      const UnitInteger u = this->template units_of<count>(all.x[k], group);
      left = left | !u.has;
      units[k] = u.v;
      // Elements without a group add 0 to group 0, so that no addition needs a branch.
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
      // The high half of a float is hardly ever 0; that of an integer mostly is, and saves an
      // atomic.
      if (Floating<T> || m.branch(high != 0)) m.add(table.high, at[k], high);
    }
    ONEFOLD_UNROLL
    for (int k = 0; counting && k < n; ++k) {
      if (!m.branch(all.group[k] != no_group)) continue;
      m.add(table.counts, (all.group[k] << table.copy_bits) + table.copy, 1u);
    }
    ONEFOLD_UNROLL
    for (int k = 0; squares && k < n; ++k) table.add_square(at[k], units[k]);
    if (m.branch(left)) this->template leave<count>(m, in, all, windows);
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
        const auto one = this->template load<L>(i, true),
                   other = this->template load<L>(i + step, i + step < all);
        add_to(table, grouped(one));
        add_to(table, grouped(other));
      }
    });
    ONEFOLD_NO_UNROLL
    for (Size i = at_once * all + first; i < in.n; i += step) add_to(table, single(i, true));
    m.sync();
    add_sums(table);
  }
  // Adds a block's tables to those in global memory. Each lane begins at another copy, in another
  // bank.
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

  // A lane's sums of the group that is the most frequent one in the warp's elements.
  template <int count>
  struct Hot {
    uint32_t group = no_group;
    int counted = 0;
    int64_t sums[count] = {};
  };
  // Adds the warp's sums of its frequent group to the words in global memory.
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
  // Adds elements to global memory. Called by a whole warp.
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
      const UnitInteger u = this->template units_of<count>(all.x[k], group);
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
    if (m.branch(left)) this->template leave<count>(m, in, all, windows);
  }
  template <int count>
  ONEFOLD_KERNEL void gather_in_memory() {
    const Size step = Size{m.blocks()} * threads, all = vectors();
    Hot<count> hot;
    ONEFOLD_NO_UNROLL
    for (Size at = Size{m.block()} * threads; at < all; at += step) {
      Grouped<at_once> some;
      in.labels.with_type(
          [&]<class L>() { some = grouped(this->template load<L>(at + t(), at + t() < all)); });
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
