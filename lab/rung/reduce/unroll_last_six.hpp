#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct unroll_last_six {
  static constexpr Rung about{
      .title = "Unrolling the last six iterations",
      .idea = "saves work in all warps, not just the last: the others skip six tests and barriers",
      .source = "000, reduction #5",
      .after = "sequential",
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * m.threads() + t;
    s[t] = m.inside(i, n) ? x[i] : T(0);
    m.sync();
    for (unsigned h = m.threads() / 2; h > 32; h /= 2) {
      if (t < h) s[t] += s[t + h];
      m.sync();
    }
    last_warp(m, s, t, m.threads());
    if (t == 0) y[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = race | out_of_bounds | wrong_result,
        .why =
            "relies on lock-step execution, without volatile; a block of 32 reads past its array"};

    ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      const auto i = Size(m.block()) * m.threads() + t;
      s[t] = i < n ? x[i] : T(0);
      m.sync();
      for (unsigned h = m.threads() / 2; h > 32; h /= 2) {
        if (t < h) s[t] += s[t + h];
        m.sync();
      }
      if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
      }
      if (t == 0) y[m.block()] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
