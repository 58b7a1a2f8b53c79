#pragma once

#include "lab/rung/vector_tile.hpp"

namespace onefold::lab::transpose {

template <class T>
struct vectors_in_order {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "16-byte vectors, tiles down the columns",
      .idea = "blocks that run together fill whole rows of the result: memory is written in order",
      .source = "beyond 002"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Corner corner = corner_by_columns<VectorTile<T>::Tile>(m, a);
    VectorTile<T>::template transpose<false>(m, x, y, a, corner);
  }
};

}  // namespace onefold::lab::transpose
