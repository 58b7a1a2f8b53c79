#pragma once

#include "lab/rung/data_blocks.hpp"

namespace onefold::lab::reduce {

struct reduce_unrolling4 : Unrolling<4> {
  static constexpr Rung about{
      .title = "Unrolling 4",
      .idea = "a block folds 4 data blocks as it starts: more independent loads hide latency",
      .source = "001, reduceUnrolling4 (described, not printed)",
      .published = {{1.829, "ms", "Tesla M2070"},
                    {49.546, "dram_read_throughput GB/s", "Tesla M2070"}},
      .after = "reduce_unrolling2",
      .a_thread = 4,
      .in_place = true};

  struct as_published : Printed {
    static constexpr Twin about{.flaws = wrong_result,
                                .why = "elements that do not fill 4 data blocks are left out",
                                .grid = Grid::published,
                                .in_place = true};
  };
};

}  // namespace onefold::lab::reduce
