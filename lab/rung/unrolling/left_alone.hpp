#pragma once

#include "lab/text.hpp"

namespace onefold::lab::unrolling {

// The same loop as it stands: the compiler does what it likes.
//
//   sizes  0: words of b
struct left_alone {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "The same, left alone",
                               .idea = "a loop of 16 steps is unrolled without being asked",
                               .source = "002, what the compiler can do"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = Size(m.block()) * 4096 + m.thread();
    for (unsigned k = 0; k < 16; ++k) {
      const uint32_t b = x[i + k * 256], c = x[i + k * 256 + a[0]];
      y[i + k * 256] = b + c;
    }
  }
};

}  // namespace onefold::lab::unrolling
