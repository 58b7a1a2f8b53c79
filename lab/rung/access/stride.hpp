#pragma once

#include "lab/text.hpp"

namespace onefold::lab::access {

// sizes  0: stride; 1: threads that copy; 2: x's elements less one, a power of two 2^k; 3: k
struct stride {
  using X = float;
  using Y = X;
  static constexpr About about{.title = "y[i] = x[i * stride]",
                               .idea = "the wider the stride, the fewer lanes share a sector",
                               .source = "002, access to global memory"};

  // The element of x that thread i reads.
  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    // Past the end it goes on from the beginning, one element further.
    const auto far = i * static_cast<unsigned>(a[0]);
    return (far & static_cast<unsigned>(a[2])) + (far >> static_cast<unsigned>(a[3]));
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    if (m.inside(i, a[1])) y[i] = x[place(i, a)];
  }
};

}  // namespace onefold::lab::access
