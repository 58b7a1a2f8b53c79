#pragma once

#include "lab/text.hpp"

namespace onefold::lab::access {

// sizes  0: an odd number that lanes are multiplied by; 1: threads that copy; 2: x's elements less
// one, where they are 2^k
struct permuted {
  using X = float;
  using Y = X;
  static constexpr About about{.title = "y[i] = x[i, permuted within the warp]",
                               .idea = "the same sectors in another order",
                               .source = "002, access to global memory"};

  // The element of x that thread i reads.
  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    const auto lane = i % 32 * static_cast<unsigned>(a[0]) % 32;
    return i / 32 * 32 + lane;
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    if (m.inside(i, a[1])) y[i] = x[place(i, a)];
  }
};

}  // namespace onefold::lab::access
