#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

template <class T, int Tile, int Rows>
struct swizzled {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Tiled with a swizzle",
      .idea = "elements change places within their row: free columns without a byte of padding",
      .source = "after 002's padding"};

  enum : int { words = Tile * Tile };
  template <class R, class C>
  ONEFOLD_KERNEL static auto place(R row, C column) {
    return row * Tile + (column ^ row);
  }
  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    transpose_tile<swizzled, T, Tile, Rows>(m, x, y, a, corner_by_rows<Tile>(m, a));
  }
};

}  // namespace onefold::lab::transpose
