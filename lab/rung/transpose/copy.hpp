#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

template <class T, int Tile, int Rows>
struct copy {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Copy",
      .idea = "what a transposition could reach: rows are read and rows are written",
      .source = "002, transposition of matrices",
      .published = {{112.4, "GB/s", "GTX 280, 4000 x 4000"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Corner corner = corner_by_rows<Tile>(m, a);
    const auto row = corner.row + m.thread() / Tile, column = corner.column + m.thread() % Tile;
    for (unsigned i = 0; i < Tile; i += Rows) {
      if (m.inside(column, a[1]) && m.inside(row + i, a[0])) {
        y[(row + i) * a[1] + column] = x[(row + i) * a[1] + column];
      }
    }
  }
};

}  // namespace onefold::lab::transpose
