#pragma once

#include "lab/rung/shared_block.hpp"

namespace onefold::lab::reduce {

struct ticket {
  static constexpr Rung about{
      .title = "One launch, the last block finishes",
      .idea = "a ticket tells a block that it is the last; a fence tells it what the others wrote",
      .source = "beyond the texts",
      .after = "reduction3_kernel",
      .flow = Flow::one_launch,
      .grid = Grid::chosen,
      .block_known = true};

  // y[0] is the answer, y[1 ..] a value a block.
  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n, Out<M, unsigned> ticket) {
    auto sums = shared<T, B / 32, struct sums_>(m);
    auto last = shared<unsigned, 1, struct last_>(m);
    const auto t = m.thread();
    T v = T(0);
    for (auto i = Size(m.block()) * B + t; m.inside(i, n); i += Size(B) * m.blocks()) v += x[i];
    v = block_sum<B>(m, sums, t, v);
    if (t == 0) {
      y[m.block() + 1] = v;
      m.fence();
      last[0] = m.add(ticket, 0, 1u) == m.blocks() - 1 ? 1u : 0u;
      m.fence();
    }
    m.sync();
    const unsigned finish = last[0];
    if (finish == 0) return;
    v = T(0);
    for (auto b = t + 0u; m.inside(b, m.blocks()); b += B) v += y[b + 1];
    v = block_sum<B>(m, sums, t, v);
    if (t == 0) {
      y[0] = v;
      ticket[0] = 0u;
    }
  }
};

}  // namespace onefold::lab::reduce
