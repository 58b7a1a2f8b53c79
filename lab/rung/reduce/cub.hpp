#pragma once

#include "lab/plugin.hpp"
#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct cub {
  static constexpr Rung about{.title = "CUB",
                              .idea = "NVIDIA's own library: the sum to measure others by",
                              .source = "beyond the texts: cub::DeviceReduce::Sum",
                              .after = "vector_loads",
                              .flow = Flow::library};

  // lab/plugin/cub.cu has the call.
  template <class F, class T = typename F::Type>
  static void queue(const T* x, Size n, T* answer, const OnStream& where) {
    cub_sum(x, n, answer, where);
  }
};

}  // namespace onefold::lab::reduce
