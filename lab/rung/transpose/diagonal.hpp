#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

template <class T, int Tile, int Rows>
struct diagonal {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Padded, tiles in diagonal order",
      .idea = "blocks that run together write to different partitions of memory",
      .source = "002, partition camping"};

  enum : int { words = Tile * (Tile + 1) };
  template <class R, class C>
  ONEFOLD_KERNEL static auto place(R row, C column) {
    return row * (Tile + 1) + column;
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    transpose_tile<diagonal, T, Tile, Rows>(m, x, y, a, corner_by_diagonals<Tile>(m, a));
  }
};

}  // namespace onefold::lab::transpose
