#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct reduce_neighbored_less {
  static constexpr Rung about{.title = "Neighbored pairs, less divergence",
                              .idea = "the first threads do the work, so whole warps have none",
                              .source = "001, reduceNeighboredLess",
                              .published = {{9.321, "ms", "Tesla M2070"},
                                            {115.3125, "inst_per_warp", "Tesla M2070"},
                                            {80.144, "gld_throughput GB/s", "Tesla M2070"},
                                            {1.26, "times reduce_neighbored", "Tesla M2070"}},
                              .after = "reduce_neighbored",
                              .in_place = true};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const Size first = Size(m.block()) * m.threads();
    auto data = x + first;
    for (unsigned stride = 1; stride < m.threads(); stride *= 2) {
      const auto index = 2 * stride * t;
      if (index < m.threads() && m.inside(first + index + stride, n)) {
        data[index] += data[index + stride];
      }
      m.sync();
    }
    if (t == 0) y[m.block()] = data[0];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = barrier_not_reached | out_of_bounds | wrong_result,
        .why = "threads past n return before the barrier, and the other threads read past n",
        .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() + t;
      auto data = x + Size(m.block()) * m.threads();
      if (i >= n) return;
      for (unsigned stride = 1; stride < m.threads(); stride *= 2) {
        const auto index = 2 * stride * t;
        if (index < m.threads()) data[index] += data[index + stride];
        m.sync();
      }
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab::reduce
