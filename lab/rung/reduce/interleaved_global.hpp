#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct interleaved_global {
  static constexpr Rung about{.title = "Interleaved, global memory",
                              .idea = "partners half a block apart, in place",
                              .source = "003, first reduce_kernel",
                              .in_place = true,
                              .any_op = true};

  ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size n) {
    const auto t = m.thread();
    const Size first = Size(m.block()) * m.threads();
    for (unsigned h = m.threads() / 2; h > 0; h /= 2) {
      if (t < h && m.inside(first + t + h, n)) {
        x[first + t] = F::fold(x[first + t], x[first + t + h]);
      }
      m.sync();
    }
    if (t == 0) y[m.block()] = x[first + t];
  }

  struct as_published {
    static constexpr Twin about{
        .flaws = out_of_bounds | wrong_result,
        .why = "n is passed but never used, so the last block reads past the input",
        .in_place = true};

    ONEFOLD_RUNG_KERNEL run(M m, Out<M, T> x, Out<M, T> y, Size) {
      const auto t = m.thread();
      const Size first = Size(m.block()) * m.threads();
      for (unsigned h = m.threads() / 2; h > 0; h /= 2) {
        if (t < h) x[first + t] = F::fold(x[first + t], x[first + t + h]);
        m.sync();
      }
      if (t == 0) y[m.block()] = x[first + t];
    }
  };
};

}  // namespace onefold::lab::reduce
