#pragma once

#include "lab/rung.hpp"

namespace onefold::lab::reduce {

struct cpu_loop {
  static constexpr Rung about{.title = "A loop on the host",
                              .idea = "one element after another",
                              .source = "001, 002: the sequential sum",
                              .flow = Flow::host};

  template <class F, class T = typename F::Type>
  static T host(const T* x, T*, Size n) {
    T sum = F::identity();
    for (Size i = 0; i < n; ++i) sum = F::fold(sum, x[i]);
    return sum;
  }
};

}  // namespace onefold::lab::reduce
