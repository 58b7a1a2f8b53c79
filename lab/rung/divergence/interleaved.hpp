#pragma once

#include "lab/text.hpp"

namespace onefold::lab::divergence {

// sizes  0: distance of the partners
struct interleaved {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "A step of reduceInterleaved",
                               .idea = "the first threads add what stands in the other half",
                               .source = "001, branch divergence",
                               .published = {{1.69, "x neighbored", "Tesla M2070"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto t = m.thread();
    const auto first = m.block() * m.threads();
    const auto distance = static_cast<unsigned>(a[0]);
    uint32_t v = x[first + t];
    if (t < distance) {
      const uint32_t w = x[first + t + distance];
      v += w;
    }
    y[first + t] = v;
  }
};

}  // namespace onefold::lab::divergence
