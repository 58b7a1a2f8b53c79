#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct reduce_interleaved {
  static constexpr Rung about{
      .title = "Interleaved pairs",
      .idea = "partners are half a block apart, so a warp reads neighbouring elements",
      .source = "001, reduceInterleaved",
      .published = {{6.967, "ms", "Tesla M2070"},
                    {1.69, "times reduce_neighbored", "Tesla M2070"},
                    {1.34, "times reduce_neighbored_less", "Tesla M2070"}},
      .after = "reduce_neighbored_less",
      .in_place = true};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() + t;
    auto data = x + Size(m.block()) * m.threads();
    for (unsigned stride = m.threads() / 2; stride > 0; stride /= 2) {
      if (t < stride && m.inside(i + stride, n)) data[t] += data[t + stride];
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
      for (unsigned stride = m.threads() / 2; stride > 0; stride /= 2) {
        if (t < stride) data[t] += data[t + stride];
        m.sync();
      }
      if (t == 0) y[m.block()] = data[0];
    }
  };
};

}  // namespace onefold::lab::reduce
