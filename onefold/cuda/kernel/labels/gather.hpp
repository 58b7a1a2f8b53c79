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

  using Unit = decltype(UnitInteger<T>::v);
  template <int count>
  using Table = LabelTable<M, set, counting, count, is_long<T>, Floating<T>>;
  template <int count>
  static constexpr int sums_of = is_long<T> ? 1 : count;  // of a group
  template <int count, int n>
  ONEFOLD_KERNEL void add_to(const Table<count>& table, const Grouped<n>& all) {
    const auto groups = static_cast<uint32_t>(in.groups);
    uint32_t at[n];
    Unit units[n];
    bool left = false;
    ONEFOLD_UNROLL
    for (int k = 0; k < n; ++k) {
      const uint32_t group = all.group[k];
      const UnitInteger<T> u = this->template units_of<count>(all.x[k], group);
      left = left | !u.has;
      units[k] = u.v;
      // Elements without a group add 0 to group 0, so that no addition needs a branch.
      const uint32_t row =
          (group != no_group ? group : 0) + (sums_of<count> > 1 ? u.window * groups : 0);
      at[k] = (row << table.copy_bits) + table.copy;
    }
    if constexpr (sums) add_sums_to(table, at, units);
    ONEFOLD_UNROLL
    for (int k = 0; counting && k < n; ++k) {
      if (!m.branch(all.group[k] != no_group)) continue;
      m.add(table.counts, (all.group[k] << table.copy_bits) + table.copy, 1u);
    }
    ONEFOLD_UNROLL
    for (int k = 0; squares && k < n; ++k) table.add_square(at[k], units[k]);
    if (m.branch(left)) this->template leave<count>(m, in, all, windows);
  }
  // Adds integers to sums, word by word with the carry of the word below.
  template <class Sums, int n>
  ONEFOLD_KERNEL void add_sums_to(const Sums& table, const uint32_t (&at)[n],
                                  const Unit (&units)[n]) const {
    uint32_t carry[n] = {}, word[n], old[n];
    ONEFOLD_UNROLL
    for (unsigned w = 0; w < Sums::sum_words; ++w) {
      const bool last = w + 1 == Sums::sum_words;
      ONEFOLD_UNROLL
      for (int k = 0; k < n; ++k) {
        const uint64_t more = uint64_t{static_cast<uint32_t>(units[k] >> 32 * w)} + carry[k];
        word[k] = static_cast<uint32_t>(more);
        carry[k] = static_cast<uint32_t>(more >> 32);
        // Words of f32 are hardly ever 0; others mostly are, and save an atomic.
        const bool any = is_long<T> || (last && !Floating<T>);
        old[k] = !any || m.branch(word[k] != 0)
                     ? m.add(table.low, w * table.sum_plane() + at[k], word[k])
                     : 0;
      }
      ONEFOLD_UNROLL
      for (int k = 0; !last && k < n; ++k) carry[k] += old[k] + word[k] < old[k] ? 1 : 0;
    }
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
      for (Size i = first; i < all; i += (is_long<T> ? 1 : 2) * step) {
        const auto one = this->template load<L>(i, true);
        if constexpr (is_long<T>) {
          add_to(table, grouped(one));
        } else {
          const auto other = this->template load<L>(i + step, i + step < all);
          add_to(table, grouped(one));
          add_to(table, grouped(other));
        }
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
    const Size plane = (is_long<T> ? 1 : Size{in.broad}) * in.groups;
    ONEFOLD_NO_UNROLL
    for (uint32_t g = t(); g < (sums ? table.sums : table.groups); g += threads) {
      constexpr unsigned words = Table<count>::sum_words;
      int64_t sum[words + 1] = {}, n = 0, square[square_words] = {};
      ONEFOLD_NO_UNROLL
      for (uint32_t c = 0; c < table.copies; ++c) {
        const uint32_t at = (g << table.copy_bits) + ((c + g) & (table.copies - 1));
        ONEFOLD_UNROLL
        for (unsigned w = 0; w < words; ++w) {
          const uint32_t word = table.low[w * table.sum_plane() + at];
          sum[w] += w + 1 == words ? int64_t{static_cast<int32_t>(word)} : int64_t{word};
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
      ONEFOLD_UNROLL
      for (unsigned w = 0; w < words; ++w) {
        if (m.branch(sum[w] != 0)) m.add(in.words, in.sums() + w * plane + g, sum[w]);
      }
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
    Unit sums[sums_of<count>] = {};
  };
  // Adds an integer to a sum in global memory. One of 128 bits is added modulo 2^128.
  ONEFOLD_KERNEL static void add_word(M m, const In& in, Size sum, Unit v) {
    if constexpr (is_long<T>) {
      const auto low = static_cast<uint64_t>(v);
      const auto words = m.template as<uint64_t>(in.words);
      const uint64_t old = m.branch(low != 0) ? m.add(words, in.sums() + sum, low) : 0;
      const auto high = static_cast<uint64_t>(v >> 64) + (old + low < old ? 1 : 0);
      if (m.branch(high != 0)) m.add(words, in.sums() + in.groups + sum, high);
    } else {
      m.add(in.words, in.sums() + sum, v);
    }
  }
  ONEFOLD_KERNEL static Int128 sum_of_warp(M m, Int128 v) {
    ONEFOLD_UNROLL
    for (unsigned d = 16; d != 0; d /= 2) {
      const auto high = static_cast<int64_t>(v >> 64), low = static_cast<int64_t>(v);
      const int64_t other = m.shuffle_xor(high, d), rest = m.shuffle_xor(low, d);
      v += static_cast<Int128>(static_cast<Uint128>(static_cast<uint64_t>(other)) << 64 |
                               static_cast<uint64_t>(rest));
    }
    return v;
  }
  // Adds the warp's sums of its frequent group to the words in global memory.
  template <int count>
  ONEFOLD_KERNEL_COLD static void give_up(M m, const In& in, Hot<count> hot) {
    if (hot.group == no_group) return;
    const bool first = static_cast<unsigned>(m.thread()) % 32 == 0;
    ONEFOLD_NO_UNROLL
    for (unsigned w = 0; sums && w < sums_of<count>; ++w) {
      Unit v = 0;
      if constexpr (is_long<T>) {
        v = sum_of_warp(m, hot.sums[w]);
      } else {
        const WarpSum s = warp_sum(m, hot.sums[w]);
        v = s.low + s.high * (int64_t{1} << 44);
      }
      if (first && v != 0) add_word(m, in, w * in.groups + hot.group, v);
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
      const UnitInteger<T> u = this->template units_of<count>(all.x[k], group);
      left = left | !u.has;
      const bool is_hot = group == hot.group;
      hot.counted += is_hot ? 1 : 0;
      ONEFOLD_UNROLL
      for (int w = 0; w < sums_of<count>; ++w) {
        hot.sums[w] += is_hot && static_cast<int>(u.window) == w ? u.v : Unit{0};
      }
      if (!m.branch(!is_hot && group != no_group)) continue;
      if (m.branch(u.v != 0)) add_word(m, in, u.window * in.groups + group, u.v);
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
      gather_in_memory<real && !is_long<T> ? 4 : 1>();
    } else if (!real || count == 1) {
      gather_in_tables<1>();
    } else {
      gather_in_tables<!real ? 1 : is_long<T> ? 2 : 3>();
    }
    tell();
  }
};

}  // namespace onefold::kernel
