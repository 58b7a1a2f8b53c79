// Products of residues: sums of products of int8, for each modulus.
//
//   grid  a block for each tile of 128 x 128 sums and each modulus, whose warps have 64 x 64 sums
#pragma once

#include "onefold/cuda/kernel/matrix/tile.hpp"

namespace onefold::kernel {

template <class T, class M>
struct MatrixMultiply {
  using Tile = ByteTile<M, 4, 8, 2, 2>;
  static_assert(Tile::rows == matrix_tile && Tile::columns == matrix_tile &&
                Tile::threads == multiply_threads);

  M m;
  const Matrix<M, T>& in;
  Tile tile{m};

  ONEFOLD_KERNEL void run() const {
    const MatrixMember<M, T> member(m, in);
    const uint32_t mode = member.mode();
    if (mode == other_walk || (in.if_wide && mode == near_mode)) return;
    const Size across = (in.factor[1].count + matrix_tile - 1) / matrix_tile,
               down = (in.factor[0].count + matrix_tile - 1) / matrix_tile;
    const Size of_modulus = member.block % (across * down),
               modulus = in.first_modulus + member.block / (across * down);
    const Size row = of_modulus / across * matrix_tile, column = of_modulus % across * matrix_tile;
    const auto of_a = member.residues(m, 0, modulus, row),
               of_b = member.residues(m, 1, modulus, column);
    typename Tile::Sums c = {};
    const Size apart = in.padded / 16;
    tile.copy(0, of_a, of_b, apart);
    unsigned now = 0;
    ONEFOLD_NO_UNROLL
    for (Size k = 0; k < apart; k += Tile::chunks) {
      const bool last = k + Tile::chunks >= apart;
      if (!last) tile.copy(1 - now, of_a + (k + Tile::chunks), of_b + (k + Tile::chunks), apart);
      tile.wait(last);
      tile.add(now, c);
      m.sync();
      now = 1 - now;
    }
    const auto to = member.sums() + (modulus * in.of_modulus + row * in.of_row + column);
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < 8; ++j) {
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          const Size at = tile.row_of(i, e) * in.of_row + tile.column_of(j, e);
          if (in.adds) {
            const int32_t before = to[at];
            c[i][j][e] = static_cast<int32_t>(static_cast<uint32_t>(c[i][j][e]) +
                                              static_cast<uint32_t>(before));
          }
          to[at] = c[i][j][e];
        }
      }
    }
  }
};

template <class T, class M>
ONEFOLD_KERNEL void multiply_matrix(M m, const Matrix<M, T>& in) {
  MatrixMultiply<T, M>{m, in}.run();
}

}  // namespace onefold::kernel
