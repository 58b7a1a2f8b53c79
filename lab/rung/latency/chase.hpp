#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// One thread follows a chain through memory, and takes the clocks of it.
//
//   sizes  0: steps; 1: steps before, which bring the chain into the caches
struct chase {
  using X = uint32_t;
  using Y = uint64_t;
  static constexpr About about{
      .title = "A chain through global memory",
      .idea = "each load waits for the one before it",
      .source = "002, latency of memory",
      .published = {{400, "cycles at least", "G80, G200"}, {600, "cycles at most", "G80, G200"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    uint32_t at = 0;
    for (Size k = 0; k < a[1]; ++k) at = x[at];
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) at = x[at];
    y[0] = m.clock() - begin;
    y[1] = at;
  }
};

}  // namespace onefold::lab::latency
