#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct reduction_1 {
  static constexpr Rung about{
      .title = "Volatile shared array",
      .idea = "volatile keeps each step of the last warp in memory, where the other lanes see it",
      .source = "000, reduction_1",
      .after = "completely_unrolled",
      .block_known = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto s = shared<T, B, struct s_>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * B + t;
    s[t] = m.inside(i, n) ? x[i] : T(0);
    m.sync();
    for_constants<512, 256, 128, 64>([&]<int h>() {
      if constexpr (B > h) {
        if (t < h) s[t] += s[t + h];
        m.sync();
      }
    });
    last_warp(m, s, t, B);
    if (t == 0) y[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = race | out_of_bounds | wrong_result,
        .why = "one block of 256 for exactly 256 elements; relies on lock-step execution",
        .grid = Grid::one,
        .fixed_block = 256};

    ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size) {
      auto s = m.as_volatile(shared<T, 256, struct s_>(m));
      const auto t = m.thread();
      s[t] = x[t];
      m.sync();
      if (t < 128) s[t] += s[t + 128];
      m.sync();
      if (t < 64) s[t] += s[t + 64];
      m.sync();
      if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
      }
      if (t == 0) y[0] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
