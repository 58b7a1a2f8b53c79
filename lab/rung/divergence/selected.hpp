#pragma once

#include "lab/rung/two_ways.hpp"

namespace onefold::lab::divergence {

struct selected {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{
      .title = "Select instead of a branch",
      .idea = "both ways for all lanes, then one of two numbers: no branch",
      .source = "001, branch divergence; 002, SIMT"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    const uint32_t v = x[i];
    const uint32_t p = one_way(v, a[0]), q = other_way(v, a[0]);
    y[i] = v % 2 == 0 ? p : q;
  }
};

}  // namespace onefold::lab::divergence
