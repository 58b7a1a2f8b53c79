#pragma once

#include "lab/rung/arithmetic_ops.hpp"

namespace onefold::lab::arithmetic {

// One warp and one chain: each step takes the last two, since equal sums would be a product.
//
//   sizes  0: steps by 8; 1: the number that no compiler may know
template <class Op>
struct chain {
  using X = typename Op::T;
  using Y = uint64_t;
  static constexpr About about{.title = "Clocks until a result can be used",
                               .idea = "one chain in one warp",
                               .source = "002, speed of instructions"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto b = static_cast<X>(a[1]);
    X v = x[m.lane()];
    X w = x[m.lane() + 32];
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 8; ++j) {
        const X next = Op::apply(m, v, w, b);
        w = v;
        v = next;
      }
    }
    y[m.thread() * 2] = m.clock() - begin;
    y[m.thread() * 2 + 1] = static_cast<uint64_t>(v + w);
  }
};

}  // namespace onefold::lab::arithmetic
