#pragma once

#include "lab/text.hpp"

namespace onefold::lab::divergence {

// sizes  0: distance of the partners
struct neighbored {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{
      .title = "A step of reduceNeighbored",
      .idea = "every second, fourth, .. thread works: all warps stay, and all diverge",
      .source = "001, branch divergence"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto t = m.thread();
    const auto first = m.block() * m.threads();
    const auto distance = static_cast<unsigned>(a[0]);
    uint32_t v = x[first + t];
    if (t % (2 * distance) == 0) {
      const uint32_t w = x[first + t + distance];
      v += w;
    }
    y[first + t] = v;
  }
};

}  // namespace onefold::lab::divergence
