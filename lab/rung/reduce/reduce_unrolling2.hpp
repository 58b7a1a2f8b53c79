#pragma once

#include "lab/rung/data_blocks.hpp"

namespace onefold::lab::reduce {

struct reduce_unrolling2 {
  static constexpr Rung about{
      .title = "Unrolling 2",
      .idea = "a block folds 2 data blocks as it starts: more independent loads hide latency",
      .source = "001, reduceUnrolling2",
      .published = {{3.430, "ms", "Tesla M2070"},
                    {26.295, "dram_read_throughput GB/s", "Tesla M2070"},
                    {3.42, "times reduce_neighbored", "Tesla M2070"}},
      .after = "reduce_interleaved",
      .a_thread = 2,
      .in_place = true};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() * 2 + t;
    auto data = x + Size(m.block()) * m.threads() * 2;
    add_data_blocks<2, T>(m, x, i, n);
    m.sync();
    fold_in_place(m, data, t, i, n, 0);
    if (t == 0) y[m.block()] = data[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = wrong_result,
                                .why = "what does not fill 2 data blocks is left out",
                                .grid = Grid::published,
                                .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() * 2 + t;
      auto data = x + Size(m.block()) * m.threads() * 2;
      add_whole_data_blocks<2, T>(m, x, i, n);
      m.sync();
      fold_full_block(m, data, t, 0);
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab::reduce
