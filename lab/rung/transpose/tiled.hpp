#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

template <class T, int Tile, int Rows>
struct tiled {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Tiled",
      .idea = "a tile goes through shared memory, so rows are read and rows are written",
      .source = "002, transposition of matrices",
      .published = {{75.1, "GB/s", "GTX 280, 4000 x 4000, tile 32, block 32 x 8"}}};

  enum : int { words = Tile * Tile };
  template <class R, class C>
  ONEFOLD_KERNEL static auto place(R row, C column) {
    return row * Tile + column;
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    transpose_tile<tiled, T, Tile, Rows>(m, x, y, a, corner_by_rows<Tile>(m, a));
  }
};

}  // namespace onefold::lab::transpose
