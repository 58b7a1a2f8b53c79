#pragma once

#include "lab/rung/shared_read.hpp"

namespace onefold::lab::banks {

struct column {
  using X = uint32_t;
  using Y = uint32_t;
  static constexpr About about{
      .title = "s[t][k]",
      .idea = "the column of a tile: all in one bank, unless a row is one word longer",
      .source = "002, transposition: padding",
      .published = {{16, "ways", "c.c. 1.x, a tile 16 wide"}}};

  template <class L>
  ONEFOLD_KERNEL static auto place(L lane, const Sizes& a) {
    return lane * static_cast<unsigned>(a[0]) + static_cast<unsigned>(a[1]);
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    read_shared<column, X, 2048>(m, x, y, a);
  }
};

}  // namespace onefold::lab::banks
