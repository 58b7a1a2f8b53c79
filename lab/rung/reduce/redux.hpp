#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct redux {
  static constexpr Rung about{.title = "redux.sync",
                              .idea =
                                  "one instruction reduces a register over the warp: it replaces "
                                  "five shuffles and five adds",
                              .source = "beyond the texts",
                              .after = "vector_loads",
                              .flow = Flow::atomic,
                              .grid = Grid::chosen,
                              .block_known = true,
                              .i32_only = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto sums = shared<T, B / 32, struct sums_>(m);
    const auto t = m.thread();
    T v = T(0);
    for (auto i = Size(m.block()) * B + t; m.inside(i, n); i += Size(B) * m.blocks()) v += x[i];
    v = m.redux_add(v);
    if constexpr (B > 32) {
      if (t % 32 == 0) sums[t / 32] = v;
      m.sync();
      if (t < 32) v = m.redux_add(t < B / 32 ? sums[t] : T(0));
    }
    if (t == 0) m.add(y, 0, v);
  }
};

}  // namespace onefold::lab::reduce
