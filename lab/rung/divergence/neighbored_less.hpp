#pragma once

#include "lab/text.hpp"

namespace onefold::lab::divergence {

// sizes  0: distance of the partners
struct neighbored_less {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{
      .title = "A step of reduceNeighboredLess",
      .idea = "the first threads work, wherever the elements are: whole warps go idle",
      .source = "001, branch divergence",
      .published = {{1.26, "x neighbored", "Tesla M2070"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto t = m.thread();
    const auto first = m.block() * m.threads();
    const auto distance = static_cast<unsigned>(a[0]);
    uint32_t v = x[first + t];
    const auto at = 2 * distance * t;
    if (at < m.threads()) {
      const uint32_t p = x[first + at], q = x[first + at + distance];
      v = p + q;
    }
    y[first + t] = v;
  }
};

}  // namespace onefold::lab::divergence
