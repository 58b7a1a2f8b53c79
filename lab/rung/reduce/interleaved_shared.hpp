#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct interleaved_shared {
  static constexpr Rung about{.title = "Interleaved, shared memory",
                              .idea = "each element is read from global memory once",
                              .source = "003, second reduce_kernel",
                              .after = "interleaved_global",
                              .block_known = true,
                              .any_op = true};

  ONEFOLD_RUNG_KERNEL run(M m, In<M, T> x, Out<M, T> y, Size n) {
    auto s = shared<T, B, struct s_>(m);
    const auto t = m.thread();
    const auto i = Size(m.block()) * B + t;
    s[t] = m.inside(i, n) ? x[i] : F::identity();
    m.sync();
    for (unsigned h = B / 2; h > 0; h /= 2) {
      if (t < h) s[t] = F::fold(s[t], s[t + h]);
      m.sync();
    }
    if (t == 0) y[m.block()] = s[0];
  }
};

}  // namespace onefold::lab::reduce
