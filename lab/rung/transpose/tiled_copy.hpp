#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab::transpose {

template <class T, int Tile, int Rows>
struct tiled_copy {
  using X = T;
  using Y = T;
  static constexpr About about{.title = "Tiled copy",
                               .idea = "a copy through shared memory: what tile and barrier cost",
                               .source = "002, transposition of matrices",
                               .published = {{94.9, "GB/s", "GTX 280, 4000 x 4000"}}};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    auto s = shared<T, Tile * Tile, tiled_copy>(m);
    const Corner corner = corner_by_rows<Tile>(m, a);
    const auto tx = m.thread() % Tile, ty = m.thread() / Tile;
    const auto row = corner.row + ty, column = corner.column + tx;
    for (unsigned i = 0; i < Tile; i += Rows) {
      if (m.inside(column, a[1]) && m.inside(row + i, a[0])) {
        s[(ty + i) * Tile + tx] = x[(row + i) * a[1] + column];
      }
    }
    m.sync();
    for (unsigned i = 0; i < Tile; i += Rows) {
      if (m.inside(column, a[1]) && m.inside(row + i, a[0])) {
        y[(row + i) * a[1] + column] = s[(ty + i) * Tile + tx];
      }
    }
  }
};

}  // namespace onefold::lab::transpose
