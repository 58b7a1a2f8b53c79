#pragma once

#include "lab/rung/vector_tile.hpp"

namespace onefold::lab::transpose {

template <class T>
struct squares_in_order {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Small squares turned in registers, tiles down the columns",
      .idea = "shared memory too is read and written by vectors only: fewer instructions a byte",
      .source = "beyond 002"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Corner corner = corner_by_columns<VectorTile<T>::Tile>(m, a);
    VectorTile<T>::transpose_squares(m, x, y, a, corner);
  }
};

}  // namespace onefold::lab::transpose
