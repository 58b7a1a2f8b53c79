#pragma once

#include "lab/rung/arithmetic_ops.hpp"

namespace onefold::lab::arithmetic {

// Four chains a thread, each step taking its neighbour's number too.
//
//   sizes  0: steps; 1: the number that no compiler may know
template <class Op>
struct rate {
  using X = typename Op::T;
  using Y = typename Op::T;
  static constexpr About about{.title = "Results a clock",
                               .idea = "four independent chains in every thread, all warps busy",
                               .source = "002, speed of instructions"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto b = static_cast<X>(a[1]);
    const auto lane = m.lane();
    X v0 = x[lane], v1 = x[lane + 32], v2 = x[lane + 64], v3 = x[lane + 96];
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 8; ++j) {
        v0 = Op::apply(m, v0, v1, b);
        v1 = Op::apply(m, v1, v2, b);
        v2 = Op::apply(m, v2, v3, b);
        v3 = Op::apply(m, v3, v0, b);
      }
    }
    y[m.block() * m.threads() + m.thread()] = v0 + v1 + v2 + v3;
  }
};

}  // namespace onefold::lab::arithmetic
