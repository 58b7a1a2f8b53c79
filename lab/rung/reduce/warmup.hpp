#pragma once

#include "lab/rung/reduce/reduce_neighbored.hpp"

namespace onefold::lab::reduce {

// 001 runs a kernel that it does not print; by its time it is reduceNeighbored.
struct warmup {
  static constexpr Rung about{.title = "Warm-up",
                              .idea = "the first launch pays for the context; time the second",
                              .source = "001, warmup (not printed)",
                              .published = {{11.745, "ms", "Tesla M2070"}},
                              .after = "cpu_recursive",
                              .in_place = true,
                              .divisions = 1};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    reduce_neighbored::run<F, B>(m, x, y, n);
  }
};

}  // namespace onefold::lab::reduce
