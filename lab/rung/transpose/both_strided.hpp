#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

template <class T, int Tile, int Rows>
struct both_strided {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Copy with both sides strided",
      .idea = "neighbouring lanes read and write a column apart; nothing changes its place",
      .source = "002, transposition of matrices",
      .published = {{2.7, "GB/s", "GTX 280, 4000 x 4000"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Corner corner = corner_by_rows<Tile>(m, a);
    const auto row = corner.row + m.thread() / Tile, column = corner.column + m.thread() % Tile;
    for (unsigned i = 0; i < Tile; i += Rows) {
      if (m.inside(column, a[1]) && m.inside(row + i, a[0])) {
        y[column * a[0] + row + i] = x[column * a[0] + row + i];
      }
    }
  }
};

}  // namespace onefold::lab::transpose
