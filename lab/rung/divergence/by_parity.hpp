#pragma once

#include "lab/rung/two_ways.hpp"

namespace onefold::lab::divergence {

struct by_parity {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Branch by the lane's parity",
                               .idea = "half of each warp goes each way: the warp goes both",
                               .source = "001, branch divergence; 002, SIMT"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto t = m.thread();
    const auto i = m.block() * m.threads() + t;
    const uint32_t v = x[i];
    if (t % 2 == 0) {
      y[i] = one_way(v, a[0]);
    } else {
      y[i] = other_way(v, a[0]);
    }
  }
};

}  // namespace onefold::lab::divergence
