#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// One warp's chain of dependent multiply-adds.
//
//   sizes  0: steps by 16; 1: 1, which no compiler may know
struct registers {
  using X = float;
  using Y = uint64_t;
  static constexpr About about{
      .title = "A chain through a register",
      .idea = "each multiply-add takes what the one before it wrote",
      .source = "002, read-after-write latency of registers",
      .published = {{192, "threads hide it", "c.c. 1.x"}, {768, "threads hide it", "c.c. 2.x"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto one = static_cast<float>(a[1]);
    float v = x[0];
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 16; ++j) v = m.fma(v, one, one);
    }
    y[m.thread() * 2] = m.clock() - begin;
    y[m.thread() * 2 + 1] = static_cast<uint64_t>(v);
  }
};

}  // namespace onefold::lab::latency
