#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// Blocks that each take the same time.
//
//   sizes  0: steps by 16; 1: 1
struct waves {
  using X = float;
  using Y = float;
  static constexpr About about{.title = "Blocks by waves",
                               .idea = "one block more than fit begins a wave of its own",
                               .source = "002, the number of blocks matters"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto one = static_cast<float>(a[1]);
    float v = x[m.lane()];
    for (Size k = 0; k < a[0]; ++k) {
      for (int j = 0; j < 16; ++j) v = m.fma(v, one, one);
    }
    y[m.block() * m.threads() + m.thread()] = v;
  }
};

}  // namespace onefold::lab::latency
