// Merges the totals of a team's threads (column_team.hpp), by shuffles or in shared memory.
#pragma once

#include "onefold/cuda/kernel/column_team.hpp"

namespace onefold::kernel {

template <class C>
struct ColumnMeeting {
  using All = typename C::All;
  static constexpr int W = C::W;

  const C& c;

  ONEFOLD_KERNEL void sync() const {
    if (c.team == 32) {
      c.m.sync_warp();
    } else {
      c.m.sync();
    }
  }

  // Adds the totals of a warp's other rows of threads to those of the first row.
  ONEFOLD_KERNEL void meet(All (&total)[W]) const {
    ONEFOLD_NO_UNROLL
    for (unsigned live = c.rows; live > 1;) {
      const unsigned half = (live + 1) / 2, other = c.t + half * c.deal.lanes;
      ONEFOLD_UNROLL
      for (int j = 0; j < W; ++j) {
        const All more = total[j].from_lane(c.m, other % 32);
        if (c.ty + half < live) total[j].add(more);
      }
      live = half;
    }
  }

  // Stores the threads' totals in shared memory. `laid_down` loads them: entry i of column q is
  // total i of that column, counted over the team's rows of threads and, within a row, over the
  // copies.
  ONEFOLD_KERNEL void lay_down(const All (&total)[W]) const {
    if (c.ty < c.rows) {
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < W; ++j)
        total[j].store(c.slots + (j * (c.team + C::pad) + c.t), C::capacity);
    }
    sync();
  }
  ONEFOLD_KERNEL All laid_down(unsigned i, unsigned q) const {
    const unsigned row = i >> c.copy_bits, copy = i - (row << c.copy_bits),
                   at = q + static_cast<unsigned>(c.input.axis[0].extent) * copy;
    return All::load(c.slots + (at % W * (c.team + C::pad) + row * c.deal.lanes + at / W),
                     C::capacity);
  }

  // Slots of a thread, each for one column: more than one only if a tile has more columns than
  // threads. If a tile has at most half as many columns as threads, several threads merge one
  // column.
  ONEFOLD_KERNEL unsigned slots_of(unsigned columns) const {
    return columns * 2 <= c.team ? 1 : (columns + c.team - 1) / c.team;
  }
  ONEFOLD_KERNEL static unsigned column_of(unsigned team, unsigned thread, unsigned s) {
    return s * team + (team == 32 ? thread % 32 : thread);
  }
  // Merges the n entries of the column in slot s. `load(i, q)` returns entry i of column q.
  template <class Load>
  ONEFOLD_KERNEL All gather(unsigned columns, unsigned n, unsigned s, Load load) const {
    constexpr int side = C::words <= 3 ? 4 : 1;
    const unsigned most = columns * 2 <= c.team ? c.team / columns : 1,
                   slices = n < most ? n : most, slice = slices > 1 ? c.t / columns : 0,
                   q = slices > 1 ? c.t - slice * columns : column_of(c.team, c.t, s);
    All sum;
    if (slice < slices && q < columns) {
      ONEFOLD_NO_UNROLL
      for (unsigned i = slice; i < n; i += side * slices) {
        All v[side];
        ONEFOLD_UNROLL
        for (unsigned u = 0; u < side; ++u) {
          if (c.m.branch(i + u * slices < n)) v[u] = load(i + u * slices, q);
        }
        ONEFOLD_UNROLL
        for (unsigned u = 0; u < side; ++u) {
          if (c.m.branch(i + u * slices < n)) sum.add(v[u]);
        }
      }
    }
    if (slices > 1) {
      sync();
      if (slice < slices) sum.store(c.slots + c.t, C::capacity);
      ONEFOLD_NO_UNROLL
      for (unsigned live = slices; live > 1;) {
        const unsigned half = (live + 1) / 2;
        sync();
        if (slice + half < live) {
          sum.add(All::load(c.slots + (c.t + half * columns), C::capacity));
          sum.store(c.slots + c.t, C::capacity);
        }
        live = half;
      }
    }
    return sum;
  }
};

}  // namespace onefold::kernel
