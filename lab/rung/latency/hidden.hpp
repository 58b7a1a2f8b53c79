#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// The same chain in every thread of as many warps as are wanted on a multiprocessor.
//
//   sizes  0: steps by 16; 1: 1
struct hidden {
  using X = float;
  using Y = float;
  static constexpr About about{
      .title = "Chains in many warps",
      .idea = "while one warp waits for its register, another issues",
      .source = "002, hiding of latency",
      .published = {{192, "threads hide it", "c.c. 1.x"}, {768, "threads hide it", "c.c. 2.x"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto one = static_cast<float>(a[1]);
    float v = x[m.lane()];
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 16; ++j) v = m.fma(v, one, one);
    }
    y[m.block() * m.threads() + m.thread()] = v;
  }
};

}  // namespace onefold::lab::latency
