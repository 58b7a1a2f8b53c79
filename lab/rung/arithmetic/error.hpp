#pragma once

#include "lab/rung/arithmetic_ops.hpp"

namespace onefold::lab::arithmetic {

// The function itself, once for each number.
template <class Op>
struct error {
  using X = float;
  using Y = float;
  static constexpr About about{.title = "Error of the fast functions",
                               .idea = "fewer steps on the special function units, fewer bits",
                               .source = "002, less exact versions on the SFU"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes&) {
    const auto i = m.block() * m.threads() + m.thread();
    y[i] = Op::apply(m, x[i], 0.0f, 0.0f);
  }
};

}  // namespace onefold::lab::arithmetic
