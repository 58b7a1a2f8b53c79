// Sorts elements by their labels, so that groups become segments (segments.hpp).
//
//   launches  clear, count, place, sort: one after another, each of any grid
//   order     groups are in any order in memory, and so are the elements of each: ops with an index
//             are refused for groups, and other answers do not depend on order
//   few       groups are counted in shared memory: one global atomic for each group and tile. If
//             there are many groups, a label that several elements of a warp have is added once
//   bad       a label that is no group's number is counted, and its element is skipped
//   deferred  nobody waits between launches. Behind sums without sorting, the sort does nothing and
//             leaves empty segments unless these sums were refused. A last launch, `tell`, copies
//             the segments' answers then, and gives all groups a status if some label is bad
#pragma once

#include "onefold/core/status.hpp"
#include "onefold/cuda/kernel/labels/label_array.hpp"

namespace onefold::kernel {

enum class LabelStep : uint32_t { clear, count, place, sort, tell };

template <class M, class T>
struct Labels {
  In<M, T> x;
  LabelArray<M> labels;
  Out<M, T> sorted;
  // In three parts: each group's begin; its count, later its end; then the words of `enum` below.
  Out<M, int64_t> table;
  Size n = 0, groups = 0;
  int64_t apart = 1;  // elements from one to the next (stride)
  LabelStep step = LabelStep::clear;
  bool behind_sums = false;
  In<M, int64_t> verdict;  // a SumsOutcome, if there were sums without sorting
  // For `tell`: one op's final answers, and its answers to the segments, if these follow sums.
  Out<M, uint8_t> value, status;
  In<M, uint8_t> folded, folded_status;
  uint32_t value_bytes = 0;

  // Counters over all groups: elements that have got a place; bad labels.
  enum : int { taken, bad, words };
  ONEFOLD_KERNEL static constexpr Size table_words(Size groups) { return 2 * groups + words; }
};

inline constexpr unsigned label_warps = 16;  // of a block

template <class M, class T>
struct ByLabel {
  enum : uint32_t { each = 8, most_few = 2048 };
  enum : uint32_t { threads = 32 * label_warps, tile = threads * each };
  // A thread's elements of one tile; `no_group` if there is no element or its label is bad.
  struct TileLabels {
    uint32_t label[each];
  };

  M m;
  const Labels<M, T>& in;
  Shared<M, uint32_t> counts;
  Shared<M, uint64_t> begins;

  ONEFOLD_KERNEL ByLabel(M machine, const Labels<M, T>& input)
      : m(machine),
        in(input),
        counts(shared<uint32_t, most_few, struct counts_>(machine)),
        begins(shared<uint64_t, most_few, struct begins_>(machine)) {}

  ONEFOLD_KERNEL bool few() const { return in.groups <= most_few; }
  ONEFOLD_KERNEL uint32_t t() const { return static_cast<uint32_t>(m.thread()); }
  ONEFOLD_KERNEL unsigned lane() const { return static_cast<unsigned>(m.lane()); }

  // Loads the labels of elements first, first + threads, ..
  ONEFOLD_KERNEL TileLabels labels_from(Size first) const {
    TileLabels found;
    in.labels.with_type([&]<class L>() {
      const auto from = m.template as<L>(in.labels.at);
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        const Size i = first + u * threads;
        found.label[u] = no_group;
        if (!m.branch(i < in.n)) continue;
        const L label = from[static_cast<int64_t>(i) * in.labels.apart];
        found.label[u] = in.labels.group_of(label);
      }
    });
    return found;
  }

  ONEFOLD_KERNEL void clear_counts() const {
    ONEFOLD_NO_UNROLL
    for (uint32_t g = t(); g < in.groups; g += threads) counts[g] = 0u;
    m.sync();
  }

  ONEFOLD_KERNEL void clear() const {
    const Size end = in.table_words(in.groups);
    ONEFOLD_NO_UNROLL
    for (Size k = (in.behind_sums ? 0 : in.groups) + m.block() * Size{threads} + t(); k < end;
         k += m.blocks() * Size{threads}) {
      in.table[k] = int64_t{0};
    }
  }

  ONEFOLD_KERNEL int64_t verdict() const {
    int64_t v = int{SumsOutcome::refused};
    if (in.behind_sums) v = in.verdict[0];
    return v;
  }

  ONEFOLD_KERNEL void tell() const {
    const int64_t found = in.table[2 * in.groups + Labels<M, T>::bad], v = verdict();
    const bool bad = found != 0 || v == int{SumsOutcome::bad_label};
    if (!bad && (!in.behind_sums || v == int{SumsOutcome::answered})) return;
    ONEFOLD_NO_UNROLL
    for (Size g = m.block() * Size{threads} + t(); g < in.groups; g += m.blocks() * Size{threads}) {
      uint8_t status = static_cast<uint8_t>(Status::bad_offsets);
      if (!bad) status = in.folded_status[g];
      in.status[g] = status;
      ONEFOLD_NO_UNROLL
      for (Size k = g * in.value_bytes; k < (g + 1) * in.value_bytes; ++k) {
        uint8_t byte = 0;
        if (!bad) byte = in.folded[k];
        in.value[k] = byte;
      }
    }
  }

  ONEFOLD_KERNEL unsigned before(uint32_t lanes) const {
    return static_cast<unsigned>(m.count_bits(lanes & ((1u << lane()) - 1)));
  }

  ONEFOLD_KERNEL void count() const {
    if (few()) clear_counts();
    uint32_t bad = 0;
    ONEFOLD_NO_UNROLL
    for (Size at = m.block() * Size{tile}; at < in.n; at += m.blocks() * Size{tile}) {
      const TileLabels found = labels_from(at + t());
      const uint32_t hot = few() ? uint32_t{no_group} : hot_of(m, found.label[0]);
      uint32_t mine = 0;
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        const uint32_t label = found.label[u];
        bad += at + t() + u * threads < in.n && label == no_group ? 1 : 0;
        mine += label == hot ? 1 : 0;
        if (!m.branch(label != no_group && label != hot)) continue;
        if (few()) {
          m.add(counts, label, 1u);
        } else {
          m.add(in.table, in.groups + label, int64_t{1});
        }
      }
      if (hot == no_group) continue;
      const uint32_t n = m.redux_add(mine);
      if (lane() == 0) m.add(in.table, in.groups + hot, static_cast<int64_t>(n));
    }
    if (m.branch(bad != 0)) {
      m.add(in.table, 2 * in.groups + Labels<M, T>::bad, static_cast<int64_t>(bad));
    }
    if (!few()) return;
    m.sync();
    ONEFOLD_NO_UNROLL
    for (uint32_t g = t(); g < in.groups; g += threads) {
      const uint32_t n = counts[g];
      if (n != 0) m.add(in.table, in.groups + g, static_cast<int64_t>(n));
    }
  }

  // A warp handles 32 groups 8 times, and reserves their places by one atomic.
  ONEFOLD_KERNEL void place() const {
    constexpr Size of_warp = 32 * each;
    const Size warps = Size{m.blocks()} * label_warps;
    ONEFOLD_NO_UNROLL
    for (Size first = (Size{m.block()} * label_warps + t() / 32) * of_warp; first < in.groups;
         first += warps * of_warp) {
      int64_t begin[each];
      int64_t all = 0;
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        const Size g = first + u * 32 + lane();
        int64_t n = 0;
        if (m.branch(g < in.groups)) n = in.table[in.groups + g];
        int64_t upto = n;
        ONEFOLD_UNROLL
        for (unsigned d = 1; d < 32; d *= 2) {
          const int64_t v = m.shuffle_up(upto, d);
          if (lane() >= d) upto += v;
        }
        begin[u] = all + upto - n;
        all += m.shuffle(upto, 31);
      }
      int64_t from = 0;
      if (lane() == 0) from = m.add(in.table, 2 * in.groups + Labels<M, T>::taken, all);
      from = m.shuffle(from, 0);
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        const Size g = first + u * 32 + lane();
        if (!m.branch(g < in.groups)) continue;
        in.table[g] = from + begin[u];
        in.table[in.groups + g] = from + begin[u];
      }
    }
  }

  // Skips elements whose labels have changed since they were counted: their places do not exist.
  ONEFOLD_KERNEL void put(Size slot, Size i) const {
    if (!m.branch(slot < in.n)) return;
    const T v = in.x[static_cast<int64_t>(i) * in.apart];
    in.sorted[slot] = v;
  }

  ONEFOLD_KERNEL void sort_few() const {
    clear_counts();
    ONEFOLD_NO_UNROLL
    for (Size at = m.block() * Size{tile}; at < in.n; at += m.blocks() * Size{tile}) {
      const TileLabels found = labels_from(at + t());
      uint32_t rank[each];  // number of the element among those of its label in the tile
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        rank[u] = 0;
        if (m.branch(found.label[u] != no_group)) rank[u] = m.add(counts, found.label[u], 1u);
      }
      m.sync();
      ONEFOLD_NO_UNROLL
      for (uint32_t g = t(); g < in.groups; g += threads) {
        const uint32_t n = counts[g];
        counts[g] = 0u;
        if (m.branch(n != 0)) {
          const int64_t begin = m.add(in.table, in.groups + g, static_cast<int64_t>(n));
          begins[g] = static_cast<uint64_t>(begin);
        }
      }
      m.sync();
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        if (!m.branch(found.label[u] != no_group)) continue;
        const uint64_t begin = begins[found.label[u]];
        put(begin + rank[u], at + t() + u * threads);
      }
    }
  }

  ONEFOLD_KERNEL void sort() const {
    ONEFOLD_NO_UNROLL
    for (Size at = m.block() * Size{tile}; at < in.n; at += m.blocks() * Size{tile}) {
      const TileLabels found = labels_from(at + t());
      const uint32_t hot = hot_of(m, found.label[0]);
      uint32_t lanes[each], mine = 0;
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        lanes[u] = hot == no_group ? 0u : m.ballot(found.label[u] == hot);
        mine += static_cast<uint32_t>(m.count_bits(lanes[u]));
      }
      int64_t room = 0;  // first place of the elements with the frequent label
      if (lane() == 0 && hot != no_group) {
        room = m.add(in.table, in.groups + hot, static_cast<int64_t>(mine));
      }
      room = m.shuffle(room, 0);
      ONEFOLD_UNROLL
      for (uint32_t u = 0; u < each; ++u) {
        const uint32_t label = found.label[u];
        int64_t slot = room + before(lanes[u]);
        room += m.count_bits(lanes[u]);
        if (!m.branch(label != no_group)) continue;
        if (m.branch(label != hot)) slot = m.add(in.table, in.groups + label, int64_t{1});
        put(static_cast<Size>(slot), at + t() + u * threads);
      }
    }
  }
};

template <class T, class M>
ONEFOLD_KERNEL void by_label(M m, const Labels<M, T>& input) {
  const ByLabel<M, T> all(m, input);
  if (input.step == LabelStep::clear) {
    all.clear();
  } else if (input.step == LabelStep::tell) {
    all.tell();
  } else if (all.verdict() != int{SumsOutcome::refused}) {
    return;
  } else if (input.step == LabelStep::count) {
    all.count();
  } else if (input.step == LabelStep::place) {
    all.place();
  } else if (all.few()) {
    all.sort_few();
  } else {
    all.sort();
  }
}

}  // namespace onefold::kernel
