#pragma once

#include "lab/rung/data_blocks.hpp"

namespace onefold::lab::reduce {

struct reduce_complete_unroll {
  static constexpr Rung about{.title = "Completely unrolled, block size as a template argument",
                              .idea = "tests of the block size are gone before the kernel runs",
                              .source = "001, reduceCompleteUnroll",
                              .after = "reduce_complete_unroll_warps8",
                              .a_thread = 8,
                              .in_place = true,
                              .block_known = true};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() * 8 + t;
    auto data = x + Size(m.block()) * m.threads() * 8;
    add_data_blocks<8, T>(m, x, i, n);
    m.sync();
    for_constants<512, 256, 128, 64>([&]<int h>() {
      if constexpr (B > h) {
        if (t < h && m.inside(i + h, n)) data[t] += data[t + h];
        m.sync();
      }
    });
    last_warp_in_place(m, data, t, i, n, B);
    if (t == 0) y[m.block()] = data[0];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = race | wrong_result,
        .why =
            "relies on lock-step execution and volatile; a block of 32 (not in the text's switch) "
            "adds "
            "its second data block twice; elements that do not fill 8 data blocks are left out",
        .grid = Grid::published,
        .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() * 8 + t;
      auto data = x + Size(m.block()) * m.threads() * 8;
      add_whole_data_blocks<8, T>(m, x, i, n);
      m.sync();
      fold_full_block_unrolled(m, data, t, B);
      last_warp_in_lock_step(m, data, t);
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab::reduce
