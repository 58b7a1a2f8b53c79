#pragma once

#include "lab/rung/reduce/templated.hpp"

namespace onefold::lab::reduce {

struct completely_unrolled {
  static constexpr Rung about{
      .title = "Completely unrolled",
      .idea = "what depends on the block size is decided by the compiler: an efficient inner loop",
      .source = "000, reduction #6",
      .after = "unroll_last_six",
      .block_known = true,
      .shared_a_thread = 1};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto s = shared_of_launch<T>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * B + t;
    s[t] = m.inside(i, n) ? x[i] : T(0);
    m.sync();
    templated::tree<B>(m, s, t);
    if (t == 0) y[m.block()] = s[0];
  }

  struct as_published {
    static constexpr Twin about{.flaws = race | out_of_bounds | wrong_result,
                                .why =
                                    "relies on lock-step execution, without volatile; a block of "
                                    "1024 loses half; a block of 32 "
                                    "reads past its array"};

    ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
      auto s = shared_of_launch<T>(m);
      const auto t = m.thread();
      const auto i = Size(m.block()) * B + t;
      s[t] = i < n ? x[i] : T(0);
      m.sync();
      templated::as_published::last_steps<B>(m, s, t);
      if (t == 0) y[m.block()] = s[0];
    }
  };
};

}  // namespace onefold::lab::reduce
