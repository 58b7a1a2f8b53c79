#pragma once

#include "lab/rung/two_ways.hpp"

namespace onefold::lab::divergence {

struct by_data {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Branch by the data",
                               .idea = "random bits: nearly every warp goes both ways",
                               .source = "001, branch divergence; 002, SIMT"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto t = m.thread();
    const auto i = m.block() * m.threads() + t;
    const uint32_t v = x[i];
    if (m.branch(v % 2 == 0)) {
      y[i] = one_way(v, a[0]);
    } else {
      y[i] = other_way(v, a[0]);
    }
  }
};

}  // namespace onefold::lab::divergence
