#pragma once

#include "lab/text.hpp"

namespace onefold::lab::transfer {

// sizes  0: elements
struct mapped {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Copied by a kernel, from or to memory of the host",
                               .idea = "mapped memory: each load and store crosses the bus",
                               .source = "002, transfers"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = Size(m.block()) * m.threads() + m.thread();
    if (m.inside(i, a[0])) y[i] = x[i];
  }
};

}  // namespace onefold::lab::transfer
