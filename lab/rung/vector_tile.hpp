// What the kernels of `transpose` by 16-byte vectors share. 256 bytes a row of the tile, 256
// threads; a vector has W elements.
//
//   sizes  0: rows of the matrix that is read, 1: its columns
#pragma once

#include "lab/rung/tile.hpp"

namespace onefold::lab {

template <class T>
struct VectorTile {
  enum : int { W = 16 / sizeof(T), Tile = 16 * W, threads = 256, turns = Tile / 16 };

  // Vectors of a row change places with row / W: a warp that gathers W elements of 8 columns of
  // vectors then finds each in banks of its own.
  template <class R, class V>
  ONEFOLD_KERNEL static auto place(R row, V vector) {
    return row * 16 + (vector ^ (row / W % 8));
  }

  // Once: caches need not keep what is written.
  template <bool Once, class M, class X, class Y>
  ONEFOLD_KERNEL static void transpose(M m, X x, Y y, const Sizes& a, Corner corner) {
    auto s = shared<T, Tile * Tile, VectorTile>(m);
    auto s16 = m.as_vectors(s);
    const auto t = m.thread();
    const bool whole = a[0] % W == 0 && a[1] % W == 0;  // then no vector straddles an edge
    if (whole) {
      auto x16 = m.by_vector(x);
      const auto row = t / 16, vector = t % 16;
      Vector16<T> e[turns] = {};
      for (unsigned k = 0; k < turns; ++k) {
        const auto r = corner.row + row + k * 16;
        const auto c = corner.column + vector * W;
        if (m.inside(c, a[1]) && m.inside(r, a[0])) e[k] = x16[(r * a[1] + c) / W];
      }
      for (unsigned k = 0; k < turns; ++k) s16[place(row + k * 16, vector)] = e[k];
    } else {
      for (unsigned k = 0; k < turns * W; ++k) {
        const auto row = (t + k * threads) / Tile, column = t % Tile;
        const auto r = corner.row + row, c = corner.column + column;
        if (m.inside(c, a[1]) && m.inside(r, a[0])) {
          s[place(row, column / W) * W + column % W] = x[r * a[1] + c];
        }
      }
    }
    m.sync();
    if (whole) {
      auto y16 = m.as_vectors(y);
      for (unsigned k = 0; k < turns; ++k) {
        // A warp writes 8 vectors in a row of y, for 4 rows: whole lines of 128 bytes.
        const auto v = t % 8 + t / 32 % 2 * 8;
        const auto column = t / 8 % 4 + (t / 64 + k * 4) * 4;
        const auto r = corner.column + column, c = corner.row + v * W;
        if (m.inside(c, a[0]) && m.inside(r, a[1])) {
          Vector16<T> e;
          for (int j = 0; j < W; ++j) {
            e.v[j] = s[place(v * W + j, column / W) * W + column % W];
          }
          if constexpr (Once) {
            m.write_once(y16, (r * a[0] + c) / W, e);
          } else {
            y16[(r * a[0] + c) / W] = e;
          }
        }
      }
    } else {
      for (unsigned k = 0; k < turns * W; ++k) {
        const auto column = (t + k * threads) / Tile, row = t % Tile;
        const auto r = corner.column + column, c = corner.row + row;
        if (m.inside(c, a[0]) && m.inside(r, a[1])) {
          y[r * a[0] + c] = s[place(row, column / W) * W + column % W];
        }
      }
    }
  }
};

}  // namespace onefold::lab
