#pragma once

#include "lab/rung/vector_tile.hpp"

namespace onefold::lab::transpose {

template <class T>
struct vectors {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "Tiled with 16-byte vectors",
      .idea = "16 bytes a lane: a quarter of the instructions, and more bytes in flight",
      .source = "beyond 002"};

  template <class M>
  ONEFOLD_KERNEL static void run(M m, In<M, X> x, Out<M, Y> y, const Sizes& a) {
    const Corner corner = corner_by_rows<VectorTile<T>::Tile>(m, a);
    VectorTile<T>::template transpose<false>(m, x, y, a, corner);
  }
};

}  // namespace onefold::lab::transpose
