#pragma once

#include "lab/rung/data_blocks.hpp"

namespace onefold::lab::reduce {

struct reduce_unrolling8 {
  static constexpr Rung about{
      .title = "Unrolling 8",
      .idea = "a block folds 8 data blocks as it starts: more independent loads hide latency",
      .source = "001, reduceUnrolling8 (described, not printed)",
      .published = {{1.422, "ms", "Tesla M2070"},
                    {62.764, "dram_read_throughput GB/s", "Tesla M2070"},
                    {58.37, "stall_sync %", "Tesla M2070"}},
      .after = "reduce_unrolling4",
      .a_thread = 8,
      .in_place = true};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() * 8 + t;
    auto data = x + Size(m.block()) * m.threads() * 8;
    add_data_blocks<8, T>(m, x, i, n);
    m.sync();
    fold_in_place(m, data, t, i, n, 0);
    if (t == 0) y[m.block()] = data[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = wrong_result,
                                .why = "what does not fill 8 data blocks is left out",
                                .grid = Grid::published,
                                .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() * 8 + t;
      auto data = x + Size(m.block()) * m.threads() * 8;
      add_whole_data_blocks<8, T>(m, x, i, n);
      m.sync();
      fold_full_block(m, data, t, 0);
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab::reduce
