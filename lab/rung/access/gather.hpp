#pragma once

#include "lab/text.hpp"

namespace onefold::lab::access {

// sizes  0: unused; 1: threads that copy; 2: x's elements less one, where they are 2^k
struct gather {
  using X = float;
  using Y = X;
  static constexpr About about{.title = "y[i] = x[random]",
                               .idea = "each lane pays for a sector of its own",
                               .source = "002, access to global memory"};

  // The element of x that thread i reads.
  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    auto h = i ^ (i >> 16u);
    h = h * 0x85ebca6bu;
    h = h ^ (h >> 13u);
    h = h * 0xc2b2ae35u;
    return (h ^ (h >> 16u)) & static_cast<unsigned>(a[2]);
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    if (m.inside(i, a[1])) y[i] = x[place(i, a)];
  }
};

}  // namespace onefold::lab::access
