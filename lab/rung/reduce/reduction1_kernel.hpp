#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct reduction1_kernel {
  static constexpr Rung about{
      .title = "Two passes",
      .idea = "as many blocks as suit the chip, each thread with long strides; then one block",
      .source = "004, listing 12.1",
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
    for (unsigned active = m.threads() / 2; active > 0; active /= 2) {
      if (t < active) s[t] += s[t + active];
      m.sync();
    }
    if (t == 0) out[m.block()] = s[0];
  }
};

}  // namespace onefold::lab::reduce
