#pragma once

#include "lab/rung/reduce/templated.hpp"

namespace onefold::lab::reduce {

struct reduction3_kernel {
  static constexpr Rung about{
      .title = "Two passes, template and switch",
      .idea = "the thread count as a template argument unrolls the log-step reduction",
      .source = "004, listings 12.3 and 12.4",
      .after = "reduction2_kernel",
      .flow = Flow::two_pass,
      .grid = Grid::chosen,
      .block_known = true,
      .min_block = 1,
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> in, Out<M, T> out, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    T sum = T(0);
    for (auto i = Size(m.block()) * B + t; m.inside(i, n); i += Size(B) * m.blocks()) sum += in[i];
    s[t] = sum;
    m.sync();
    templated::tree<B>(m, s, t);
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
      for (auto i = Size(m.block()) * B + t; i < n; i += Size(B) * m.blocks()) sum += in[i];
      s[t] = sum;
      m.sync();
      if constexpr (B >= 1024) {
        if (t < 512) s[t] += s[t + 512];
        m.sync();
      }
      templated::as_published::last_steps<B>(m, m.as_volatile(s), t);
      if (t == 0) out[m.block()] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
