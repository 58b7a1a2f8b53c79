#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// A chain of its own through memory in every thread of as many warps as are wanted.
//
//   sizes  0: steps; 1: where the beginnings are; 2: how many of them apart threads begin
struct hidden_loads {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Chains of loads in many warps",
                               .idea =
                                   "while one warp waits for memory, another asks, until memory "
                                   "gives no more sectors",
                               .source = "002, hiding of latency"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Size first = Size(m.block()) * m.threads() + m.thread();
    uint32_t at = x[a[1] + first * a[2]];
    for (Size k = 0; k < a[0]; ++k) at = x[at];
    y[first] = at;
  }
};

}  // namespace onefold::lab::latency
