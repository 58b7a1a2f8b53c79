#pragma once

#include "lab/rung/data_blocks.hpp"

namespace onefold::lab::reduce {

struct reduce_unrolling2 : Unrolling<2> {
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

  struct as_published : Printed {
    static constexpr Twin about{.flaws = wrong_result,
                                .why = "elements that do not fill 2 data blocks are left out",
                                .grid = Grid::published,
                                .in_place = true};
  };
};

}  // namespace onefold::lab::reduce
