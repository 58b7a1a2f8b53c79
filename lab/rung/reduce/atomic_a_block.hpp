#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct atomic_a_block {
  static constexpr Rung about{
      .title = "One atomic a block",
      .idea = "blocks add to one value as they finish: no second launch and no partial sums",
      .source = "beyond the texts",
      .after = "ticket",
      .flow = Flow::atomic,
      .grid = Grid::chosen,
      .block_known = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto sums = shared<T, B / 32, struct sums_>(m);
    const auto t = m.thread();
    T v = T(0);
    for (auto i = Size(m.block()) * B + t; m.inside(i, n); i += Size(B) * m.blocks()) v += x[i];
    v = block_sum<B>(m, sums, t, v);
    if (t == 0) m.add(y, 0, v);
  }
};

}  // namespace onefold::lab::reduce
