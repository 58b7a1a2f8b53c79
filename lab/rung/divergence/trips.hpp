#pragma once

#include "lab/rung/two_ways.hpp"

namespace onefold::lab::divergence {

// sizes  0: rounds a trip; 1: trips of lane 0; 2: more trips for each further lane
struct trips {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Loops of different length",
                               .idea = "a warp goes round as often as its longest lane",
                               .source = "001, branch divergence; 002, SIMT"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    const auto count = m.lane() * static_cast<unsigned>(a[2]) + static_cast<unsigned>(a[1]);
    uint32_t v = 0;
    for (unsigned k = 0; count > k; ++k) {
      const uint32_t w = x[i];
      v = one_way(v + w, a[0]);
    }
    y[i] = v;
  }
};

}  // namespace onefold::lab::divergence
