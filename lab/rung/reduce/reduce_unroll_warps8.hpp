#pragma once

#include "lab/rung/data_blocks.hpp"

namespace onefold::lab::reduce {

struct reduce_unroll_warps8 {
  static constexpr Rung about{.title = "Unrolled warps",
                              .idea = "the last warp needs no block barrier, so fewer warps wait",
                              .source = "001, reduceUnrollWarps8",
                              .published = {{1.355, "ms", "Tesla M2070"},
                                            {30.60, "stall_sync %", "Tesla M2070"},
                                            {1.05, "times reduce_unrolling8", "Tesla M2070"},
                                            {8.65, "times reduce_neighbored", "Tesla M2070"}},
                              .after = "reduce_unrolling8",
                              .a_thread = 8,
                              .in_place = true};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() * 8 + t;
    auto data = x + Size(m.block()) * m.threads() * 8;
    add_data_blocks<8, T>(m, x, i, n);
    m.sync();
    fold_in_place(m, data, t, i, n, 32);
    last_warp_in_place(m, data, t, i, n, m.threads());
    if (t == 0) y[m.block()] = data[0];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = race | wrong_result,
        .why =
            "relies on lock-step execution and volatile; a block of 32 adds its second data block "
            "twice; elements that do not fill 8 data blocks are left out",
        .grid = Grid::published,
        .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() * 8 + t;
      auto data = x + Size(m.block()) * m.threads() * 8;
      add_whole_data_blocks<8, T>(m, x, i, n);
      m.sync();
      fold_full_block(m, data, t, 32);
      last_warp_in_lock_step(m, data, t);
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab::reduce
