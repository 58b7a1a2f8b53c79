#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// A sum with L loads in flight a thread.
//
//   sizes  0: elements
template <int L>
struct loads {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Loads in flight",
                               .idea =
                                   "bytes in flight = bandwidth x latency: by warps, or by "
                                   "independent loads of one thread",
                               .source = "002, hiding of latency; 001, unrolling"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Size stride = Size(m.blocks()) * m.threads();
    const Size first = Size(m.block()) * m.threads() + m.thread();
    uint32_t sum = 0;
    for (Size i = first; i + (L - 1) * stride < a[0]; i += L * stride) {
      uint32_t e[L];
      for (int k = 0; k < L; ++k) e[k] = x[i + static_cast<Size>(k) * stride];
      for (int k = 0; k < L; ++k) sum += e[k];
    }
    y[first] = sum;
  }
};

}  // namespace onefold::lab::latency
