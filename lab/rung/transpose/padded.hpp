#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

template <class T, int Tile, int Rows>
struct padded {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Tiled with padding",
      .idea = "rows of the tile are one longer: its columns spread over all banks",
      .source = "002, transposition of matrices",
      .published = {{93.4, "GB/s", "GTX 280, 4000 x 4000"}, {17.6, "x naive", "GTX 280"}}};

  enum : int { words = Tile * (Tile + 1) };
  template <class R, class C>
  ONEFOLD_KERNEL static auto place(R row, C column) {
    return row * (Tile + 1) + column;
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    transpose_tile<padded, T, Tile, Rows>(m, x, y, a, corner_by_rows<Tile>(m, a));
  }
};

}  // namespace onefold::lab::transpose
