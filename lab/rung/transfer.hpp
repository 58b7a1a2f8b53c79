// The kernels of `transfer`.
#pragma once

#include "lab/text.hpp"

namespace onefold::lab::transfer {

// sizes  0: elements
struct mapped : Types<uint32_t> {
  static constexpr About about{.title = "Copied by a kernel, from or to memory of the host",
                               .idea = "mapped memory: each load and store crosses the bus",
                               .source = "002, transfers"};

  ONEFOLD_POINT_KERNEL {
    const auto i = Size(m.block()) * m.threads() + m.thread();
    if (m.inside(i, a[0])) y[i] = x[i];
  }
};

// sizes  0: rounds
struct work : Types<uint32_t> {
  static constexpr About about{.title = "A kernel between two copies",
                               .idea =
                                   "pieces in several streams: one is copied in, another is "
                                   "processed and a third is copied out at the same time",
                               .source = "002, overlapped transfers"};

  ONEFOLD_POINT_KERNEL {
    const auto i = Size(m.block()) * m.threads() + m.thread();
    uint32_t v = x[i];
    for (Size k = 0; k < a[0]; ++k) v = (v ^ (v >> 15)) * 0x2c1b3c6du + 1;
    y[i] = v;
  }
};

}  // namespace onefold::lab::transfer
