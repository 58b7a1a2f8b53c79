#pragma once

#include "lab/text.hpp"

namespace onefold::lab::latency {

// The same through shared memory.
//
//   sizes  0: steps
struct shared_chase {
  using X = uint32_t;
  using Y = uint64_t;
  static constexpr About about{.title = "A chain through shared memory",
                               .idea = "a word written, read again, and what it says read next",
                               .source = "002, read-after-write latency"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    auto s = shared<uint32_t, 1024, shared_chase>(m);
    for (unsigned k = 0; k < 1024; ++k) s[k] = x[k];
    uint32_t at = 0;
    const auto begin = m.clock();
    for (Size k = 0; k < a[0]; ++k) at = s[at];
    y[0] = m.clock() - begin;
    y[1] = at;
  }
};

}  // namespace onefold::lab::latency
