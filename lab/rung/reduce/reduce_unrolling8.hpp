#pragma once

#include "lab/rung/data_blocks.hpp"

namespace onefold::lab::reduce {

struct reduce_unrolling8 : Unrolling<8> {
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

  struct as_published : Printed {
    static constexpr Twin about{.flaws = wrong_result,
                                .why = "elements that do not fill 8 data blocks are left out",
                                .grid = Grid::published,
                                .in_place = true};
  };
};

}  // namespace onefold::lab::reduce
