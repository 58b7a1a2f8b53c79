#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct reduce_neighbored {
  static constexpr Rung about{
      .title = "Neighbored pairs",
      .idea = "every second thread adds its neighbour, then every fourth, in global memory",
      .source = "001, reduceNeighbored",
      .published = {{11.722, "ms", "Tesla M2070"},
                    {295.5625, "inst_per_warp", "Tesla M2070"},
                    {67.663, "gld_throughput GB/s", "Tesla M2070"}},
      .after = "cpu_recursive",
      .in_place = true,
      .divisions = 1};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() + t;
    auto data = x + Size(m.block()) * m.threads();
    for (unsigned stride = 1; stride < m.threads(); stride *= 2) {
      if (t % (2 * stride) == 0 && m.inside(i + stride, n)) data[t] += data[t + stride];
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
        if (t % (2 * stride) == 0) data[t] += data[t + stride];
        m.sync();
      }
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab::reduce
