#pragma once

#include "lab/text.hpp"

namespace onefold::lab::unrolling {

// A block of 256 adds 16 stretches of 256 words: a[i] = b[i] + c[i], b in the first half of x and c
// in the second.
//
//   sizes  0: words of b
template <int U>
struct by_pragma {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "A short loop, unrolled by the compiler",
                               .idea = "fewer jumps and counters, and loads that need not wait",
                               .source = "001, unrolling; 002, #pragma unroll"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = Size(m.block()) * 4096 + m.thread();
    ONEFOLD_UNROLL_BY(U)
    for (unsigned k = 0; k < 16; ++k) {
      const uint32_t b = x[i + k * 256], c = x[i + k * 256 + a[0]];
      y[i + k * 256] = b + c;
    }
  }
};

}  // namespace onefold::lab::unrolling
