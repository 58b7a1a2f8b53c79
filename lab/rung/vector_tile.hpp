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

  // Then no vector straddles an edge.
  ONEFOLD_KERNEL static bool whole(const Sizes& a) { return a[0] % W == 0 && a[1] % W == 0; }

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
    if (!whole(a)) return by_elements(m, s, x, y, a, corner);
    auto s16 = m.as_vectors(s);
    const auto t = m.thread();
    auto x16 = m.by_vector(x);
    const auto row = t / 16, vector = t % 16;
    Vector16<T> read[turns] = {};
    for (unsigned k = 0; k < turns; ++k) {
      const auto r = corner.row + row + k * 16;
      const auto c = corner.column + vector * W;
      if (m.inside(c, a[1]) && m.inside(r, a[0])) read[k] = x16[(r * a[1] + c) / W];
    }
    for (unsigned k = 0; k < turns; ++k) s16[place(row + k * 16, vector)] = read[k];
    m.sync();
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
  }

  // Each thread turns a square of W x W elements in registers; what it puts into shared memory are
  // then vectors of rows of the result.
  template <class M, class X, class Y>
  ONEFOLD_KERNEL static void transpose_squares(M m, X x, Y y, const Sizes& a, Corner corner) {
    auto s = shared<T, Tile * Tile, VectorTile>(m);
    if (!whole(a)) return by_elements(m, s, x, y, a, corner);
    auto s16 = m.as_vectors(s);
    const auto t = m.thread();
    auto x16 = m.by_vector(x);
    const auto across = t % 16, down = t / 16;
    Vector16<T> read[W] = {};
    const auto r = corner.row + down * W, c = corner.column + across * W;
    if (m.inside(c, a[1]) && m.inside(r, a[0])) {
      for (unsigned j = 0; j < W; ++j) read[j] = x16[((r + j) * a[1] + c) / W];
    }
    for (unsigned k = 0; k < W; ++k) {
      Vector16<T> turned;
      for (int j = 0; j < W; ++j) turned.v[j] = read[j].v[k];
      s16[place(across * W + k, down)] = turned;
    }
    m.sync();
    auto y16 = m.as_vectors(y);
    for (unsigned k = 0; k < turns; ++k) {
      const auto column = t / 16 + k * 16, vector = t % 16;
      const auto to = corner.column + column, from = corner.row + vector * W;
      if (m.inside(from, a[0]) && m.inside(to, a[1])) {
        y16[(to * a[0] + from) / W] = s16[place(column, vector)];
      }
    }
  }

 private:
  template <class M, class S, class X, class Y>
  ONEFOLD_KERNEL static void by_elements(M m, S s, X x, Y y, const Sizes& a, Corner corner) {
    const auto t = m.thread();
    for (unsigned k = 0; k < turns * W; ++k) {
      const auto row = (t + k * threads) / Tile, column = t % Tile;
      const auto r = corner.row + row, c = corner.column + column;
      if (m.inside(c, a[1]) && m.inside(r, a[0])) {
        s[place(row, column / W) * W + column % W] = x[r * a[1] + c];
      }
    }
    m.sync();
    for (unsigned k = 0; k < turns * W; ++k) {
      const auto column = (t + k * threads) / Tile, row = t % Tile;
      const auto r = corner.column + column, c = corner.row + row;
      if (m.inside(c, a[0]) && m.inside(r, a[1])) {
        y[r * a[0] + c] = s[place(row, column / W) * W + column % W];
      }
    }
  }
};

}  // namespace onefold::lab
