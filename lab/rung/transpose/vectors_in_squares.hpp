#pragma once

#include "lab/rung/vector_tile.hpp"

namespace onefold::lab::transpose {

template <class T>
struct vectors_in_squares {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "16-byte vectors, tiles in squares",
      .idea = "blocks that run together read and write neighbours: memory opens fewer rows",
      .source = "beyond 002"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Corner corner = corner_by_squares<VectorTile<T>::Tile>(m, a);
    VectorTile<T>::template transpose<false>(m, x, y, a, corner);
  }
};

}  // namespace onefold::lab::transpose
