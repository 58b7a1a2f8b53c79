#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct grid_barrier {
  static constexpr Rung about{
      .title = "Cooperative grid barrier",
      .idea = "all blocks are resident and wait for one another; then one folds their values",
      .source = "beyond the texts",
      .after = "ticket",
      .flow = Flow::cooperative,
      .grid = Grid::chosen,
      .block_known = true};

  // y[0] is the answer, y[1 ..] a value a block.
  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n, Out<M, unsigned> ticket) {
    auto sums = shared<T, B / 32, struct sums_>(m);
    const auto t = m.thread();
    T v = T(0);
    for (auto i = Size(m.block()) * B + t; m.inside(i, n); i += Size(B) * m.blocks()) v += x[i];
    v = block_sum<B>(m, sums, t, v);
    if (t == 0) y[m.block() + 1] = v;
    m.sync_grid(ticket);
    if (m.block() != 0) return;
    v = T(0);
    for (auto b = t + 0u; m.inside(b, m.blocks()); b += B) v += y[b + 1];
    v = block_sum<B>(m, sums, t, v);
    if (t == 0) y[0] = v;
  }
};

}  // namespace onefold::lab::reduce
