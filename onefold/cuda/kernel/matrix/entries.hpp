// Entries of products of short vectors: their sums of products of residues stay in registers, all
// moduli of a sum one behind the other, until they are rounded.
//
//   grid  a block for each tile of 64 x 64 entries, whose warps have 16 x 32
#pragma once

#include "onefold/cuda/kernel/matrix/answer.hpp"
#include "onefold/cuda/kernel/matrix/tile.hpp"

namespace onefold::kernel {

template <class T, OpSet ops, class M>
struct MatrixEntries {
  static constexpr unsigned across_warp = 4;
  using Tile = ByteTile<M, 1, across_warp, 4, 2>;
  static_assert(Tile::rows == entries_tile && Tile::columns == entries_tile &&
                Tile::threads == matrix_threads);

  M m;
  const Matrix<M, T>& in;
  const MatrixMember<M, T>& member;
  const MatrixAnswers<T, ops, M>& answers;
  Tile tile{m};

  // Computes the tile's residues modulo each of n numbers, four of a row or two in a word.
  template <int n>
  ONEFOLD_KERNEL void multiply(Size row, Size column, uint32_t (&y)[n][across_warp]) const {
    const Size apart = in.padded / 16, end = (in.inner + 15) / 16;
    unsigned now = 0;
    const auto copy = [&](unsigned to, int modulus, Size k) {
      const auto u = static_cast<Size>(modulus);
      tile.copy(to, member.residues(m, 0, u, row) + k, member.residues(m, 1, u, column) + k, apart);
    };
    copy(0, 0, 0);
    ONEFOLD_UNROLL
    for (int u = 0; u < n; ++u) {
      typename Tile::Sums c = {};
      ONEFOLD_NO_UNROLL
      for (Size k = 0; k < end; k += Tile::chunks) {
        const bool goes_on = k + Tile::chunks < end, last = !goes_on && u == n - 1;
        if (!last) copy(1 - now, goes_on ? u : u + 1, goes_on ? k + Tile::chunks : 0);
        tile.wait(last);
        tile.add(now, c);
        m.sync();
        now = 1 - now;
      }
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < across_warp; ++j) {
        y[u][j] = 0;
        ONEFOLD_UNROLL
        for (unsigned e = 0; e < 4; ++e) {
          y[u][j] |= residues::residue_of_short(c[0][j][e], residues::modulus(u)) << 8 * e;
        }
      }
    }
  }

  template <int n>
  ONEFOLD_KERNEL void run() const {
    const Size across = (in.factor[1].count + entries_tile - 1) / entries_tile;
    const Size down = quotient_of(member.block, across);
    const Size row = down * entries_tile, column = (member.block - down * across) * entries_tile;
    uint32_t y[n][across_warp];
    multiply<n>(row, column, y);
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < across_warp; ++j) {
      ONEFOLD_NO_UNROLL
      for (unsigned e = 0; e < 4; ++e) {
        const Size r = row + tile.row_of(0, e), c = column + tile.column_of(j, e);
        if (!m.branch(r < in.factor[0].count && c < in.factor[1].count)) continue;
        answers.template entry<n>(r, c, [&](int t) { return y[t][j] >> 8 * e & 0xff; });
      }
    }
  }
};

template <class T, OpSet ops, class M>
ONEFOLD_KERNEL void entries_of_matrix(M m, const Matrix<M, T>& in, const Scratch<M>& scratch,
                                      const Results<M, ops>& results) {
  const MatrixMember<M, T> member(m, in);
  const MatrixAnswers<T, ops, M> answers{m, in, member, scratch, results};
  const MatrixEntries<T, ops, M> entries{m, in, member, answers};
  answers.in_mode([&]<int n>() { entries.template run<n>(); });
}

}  // namespace onefold::kernel
