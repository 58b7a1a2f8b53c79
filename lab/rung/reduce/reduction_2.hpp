#pragma once

#include "lab/rung/reduce/reduction_1.hpp"

namespace onefold::lab::reduce {

struct reduction_2 {
  static constexpr Rung about{.title = "Volatile in a device function",
                              .idea =
                                  "only the last warp needs volatile: pass the array to a function "
                                  "with a volatile parameter",
                              .source = "000, reduction_2",
                              .after = "reduction_1",
                              .block_known = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    reduction_1::run<F, B>(m, x, y, n);  // only the text's own form differs
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = race | out_of_bounds | wrong_result,
        .why = "one block of 256 for exactly 256 elements; relies on lock-step execution",
        .grid = Grid::one,
        .fixed_block = 256};

    ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size) {
      auto s = shared<T, 256, struct s_>(m);
      const auto t = m.thread();
      s[t] = x[t];
      m.sync();
      if (t < 128) s[t] += s[t + 128];
      m.sync();
      if (t < 64) s[t] += s[t + 64];
      m.sync();
      if (t < 32) warp_reduce(m.as_volatile(s), t);
      if (t == 0) y[0] = s[0];
    }

    template <class S, class I>
    ONEFOLD_KERNEL static void warp_reduce(S s, I t) {
      s[t] += s[t + 32];
      s[t] += s[t + 16];
      s[t] += s[t + 8];
      s[t] += s[t + 4];
      s[t] += s[t + 2];
      s[t] += s[t + 1];
    }
  };
};

}  // namespace onefold::lab::reduce
