#pragma once

#include "lab/text.hpp"

namespace onefold::lab::arithmetic {

// Every thread adds 1 again and again; so many threads share a counter.
//
//   sizes  0: additions of a thread; 1: threads that share a counter
struct atomics {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{.title = "Atomic additions by contention",
                               .idea = "additions to one address are done one after another",
                               .source = "beyond 002"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X>, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    const auto at = i / static_cast<unsigned>(a[1]);
    for (Size k = 0; k < a[0]; ++k) m.add(y, at, 1u);
  }
};

}  // namespace onefold::lab::arithmetic
