#pragma once

#include "lab/text.hpp"

namespace onefold::lab::access {

// sizes  0: offset; 1: threads that copy; 2: x's elements less one, where they are 2^k
template <class T>
struct offset {
  using X = T;
  using Y = X;
  static constexpr About about{
      .title = "y[i] = x[i + offset]",
      .idea = "neighbours read neighbours, but the first need not be aligned",
      .source = "002, access to global memory",
      .published = {{0.125, "of the speed, misaligned", "c.c. 1.0 and 1.1"}}};

  // The element of x that thread i reads.
  template <class I>
  ONEFOLD_KERNEL static auto place(I i, const Sizes& a) {
    return i + static_cast<unsigned>(a[0]);
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const auto i = m.block() * m.threads() + m.thread();
    if (m.inside(i, a[1])) y[i] = x[place(i, a)];
  }
};

}  // namespace onefold::lab::access
