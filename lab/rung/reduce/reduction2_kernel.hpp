#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct reduction2_kernel {
  static constexpr Rung about{
      .title = "Two passes, warp-synchronous finish",
      .idea = "32 threads or fewer are one warp: no block barriers at the end",
      .source = "004, listing 12.2",
      .after = "reduction1_kernel",
      .flow = Flow::two_pass,
      .grid = Grid::chosen,
      .min_block = 1,
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> in, Out<M, T> out, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    T sum = T(0);
    for (auto i = Size(m.block()) * m.threads() + t; m.inside(i, n);
         i += Size(m.threads()) * m.blocks()) {
      sum += in[i];
    }
    s[t] = sum;
    m.sync();
    for (unsigned active = m.threads() / 2; active > 32; active /= 2) {
      if (t < active) s[t] += s[t + active];
      m.sync();
    }
    last_warp(m, s, t, m.threads());
    if (t == 0) out[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = race | out_of_bounds | wrong_result,
                                .why =
                                    "relies on lock-step execution and volatile; a block of 32 or "
                                    "less reads past its array",
                                .grid = Grid::chosen};

    ONEFOLD_RUNG_KERNEL run(M m, In<M, T> in, Out<M, T> out, Size n) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      T sum = T(0);
      for (auto i = Size(m.block()) * m.threads() + t; i < n; i += Size(m.threads()) * m.blocks()) {
        sum += in[i];
      }
      s[t] = sum;
      m.sync();
      for (unsigned active = m.threads() / 2; active > 32; active /= 2) {
        if (t < active) s[t] += s[t + active];
        m.sync();
      }
      if (t < 32) {
        auto w = m.as_volatile(s);
        if (m.threads() > 32) w[t] += w[t + 32];
        w[t] += w[t + 16];
        w[t] += w[t + 8];
        w[t] += w[t + 4];
        w[t] += w[t + 2];
        w[t] += w[t + 1];
        if (t == 0) out[m.block()] = w[0];
      }
    }
  };
};

}  // namespace onefold::lab::reduce
