#pragma once

#include "lab/text.hpp"

namespace onefold::lab::access {

// sizes  1: threads that copy
struct streaming {
  using X = float;
  using Y = X;
  static constexpr About about{.title = "y[i] = x[i], read and written once",
                               .idea = "loads and stores that ask the caches to keep nothing",
                               .source = "beyond 002: cached and streaming loads"};

  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes&) {
    return i + 0u;
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    if (m.inside(i, a[1])) m.write_once(y, i, m.read_once(x, i));
  }
};

}  // namespace onefold::lab::access
