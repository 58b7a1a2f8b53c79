// The kernels of `transpose`.
//
//   sizes  0: rows of the matrix that is read, 1: its columns
#pragma once

#include "lab/rung/tile.hpp"
#include "lab/rung/vector_tile.hpp"

namespace onefold::lab::transpose {

// Moves elements without shared memory. If a side is strided, neighbouring lanes are columns apart.
template <class T, int Tile, int Rows, bool strided_x, bool strided_y>
struct Direct {
  using X = T;
  using Y = T;

  ONEFOLD_POINT_KERNEL {
    const Corner from = corner<Order::rows, Tile>(m, a);
    const auto row = from.row + m.thread() / Tile, column = from.column + m.thread() % Tile;
    for (unsigned i = 0; i < Tile; i += Rows) {
      if (m.inside(column, a[1]) && m.inside(row + i, a[0])) {
        const auto along = (row + i) * a[1] + column, down = column * a[0] + row + i;
        y[strided_y ? down : along] = x[strided_x ? down : along];
      }
    }
  }
};

template <class T, int Tile, int Rows>
struct copy : Direct<T, Tile, Rows, false, false> {
  static constexpr About about{
      .title = "Copy",
      .idea = "what a transposition could reach: rows are read and rows are written",
      .source = "002, transposition of matrices",
      .published = {{112.4, "GB/s", "GTX 280, 4000 x 4000"}}};
};

template <class T, int Tile, int Rows>
struct both_strided : Direct<T, Tile, Rows, true, true> {
  static constexpr About about{
      .title = "Copy with both sides strided",
      .idea = "neighbouring lanes read and write a column apart; nothing changes its place",
      .source = "002, transposition of matrices",
      .published = {{2.7, "GB/s", "GTX 280, 4000 x 4000"}}};
};

template <class T, int Tile, int Rows>
struct naive : Direct<T, Tile, Rows, false, true> {
  static constexpr About about{
      .title = "Naive transposition",
      .idea = "rows are read, but neighbouring lanes write a whole column apart",
      .source = "002, transposition of matrices",
      .published = {{5.3, "GB/s", "GTX 280, 4000 x 4000"}}};
};

template <class T, int Tile, int Rows>
struct tiled_copy {
  using X = T;
  using Y = T;
  static constexpr About about{.title = "Tiled copy",
                               .idea = "a copy through shared memory: what tile and barrier cost",
                               .source = "002, transposition of matrices",
                               .published = {{94.9, "GB/s", "GTX 280, 4000 x 4000"}}};

  ONEFOLD_POINT_KERNEL {
    auto s = shared<T, Tile * Tile, tiled_copy>(m);
    const Corner from = corner<Order::rows, Tile>(m, a);
    const auto tx = m.thread() % Tile, ty = m.thread() / Tile;
    const auto row = from.row + ty, column = from.column + tx;
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

// A transposition through a tile of Tile x Tile elements in shared memory, in rows of Pitch.
template <class Kernel, class T, int Tile, int Rows, int Pitch = Tile, Order order = Order::rows>
struct ByTile {
  using X = T;
  using Y = T;
  enum : int { words = Tile * Pitch };

  template <class R, class C>
  ONEFOLD_KERNEL static auto place(R row, C column) {
    return row * Pitch + column;
  }
  ONEFOLD_POINT_KERNEL {
    transpose_tile<Kernel, T, Tile, Rows>(m, x, y, a, corner<order, Tile>(m, a));
  }
};

template <class T, int Tile, int Rows>
struct tiled : ByTile<tiled<T, Tile, Rows>, T, Tile, Rows> {
  static constexpr About about{
      .title = "Tiled",
      .idea = "a tile goes through shared memory, so rows are read and rows are written",
      .source = "002, transposition of matrices",
      .published = {{75.1, "GB/s", "GTX 280, 4000 x 4000, tile 32, block 32 x 8"}}};
};

template <class T, int Tile, int Rows>
struct padded : ByTile<padded<T, Tile, Rows>, T, Tile, Rows, Tile + 1> {
  static constexpr About about{
      .title = "Tiled with padding",
      .idea = "rows of the tile are one longer: its columns spread over all banks",
      .source = "002, transposition of matrices",
      .published = {{93.4, "GB/s", "GTX 280, 4000 x 4000"}, {17.6, "x naive", "GTX 280"}}};
};

template <class T, int Tile, int Rows>
struct swizzled : ByTile<swizzled<T, Tile, Rows>, T, Tile, Rows> {
  static constexpr About about{.title = "Tiled with a swizzle",
                               .idea =
                                   "elements change places within their row, so columns have no "
                                   "conflicts and no padding is needed",
                               .source = "after 002's padding"};

  template <class R, class C>
  ONEFOLD_KERNEL static auto place(R row, C column) {
    return row * Tile + (column ^ row);
  }
};

template <class T, int Tile, int Rows>
struct diagonal : ByTile<diagonal<T, Tile, Rows>, T, Tile, Rows, Tile + 1, Order::diagonals> {
  static constexpr About about{
      .title = "Padded, tiles in diagonal order",
      .idea = "blocks that run together write to different partitions of memory",
      .source = "002, partition camping"};
};

// A transposition by 16-byte vectors. once: caches need not keep what is written; squares: small
// squares are turned in registers.
enum class How { usual, once, squares };
template <class T, Order order, How how = How::usual>
struct ByVectors {
  using X = T;
  using Y = T;

  ONEFOLD_POINT_KERNEL {
    const Corner from = corner<order, VectorTile<T>::Tile>(m, a);
    if constexpr (how == How::squares) {
      VectorTile<T>::transpose_squares(m, x, y, a, from);
    } else {
      VectorTile<T>::template transpose<how == How::once>(m, x, y, a, from);
    }
  }
};

template <class T>
struct vectors : ByVectors<T, Order::rows> {
  static constexpr About about{
      .title = "Tiled with 16-byte vectors",
      .idea = "16 bytes a lane: a quarter of the instructions, and more bytes in flight",
      .source = "beyond 002"};
};

template <class T>
struct vectors_in_squares : ByVectors<T, Order::squares> {
  static constexpr About about{
      .title = "16-byte vectors, tiles in squares",
      .idea = "blocks that run together read and write neighbours: memory opens fewer rows",
      .source = "beyond 002"};
};

template <class T>
struct vectors_once : ByVectors<T, Order::squares, How::once> {
  static constexpr About about{.title = "16-byte vectors in squares, written once",
                               .idea = "stores that ask the caches to keep nothing",
                               .source = "beyond 002"};
};

template <class T>
struct vectors_in_order : ByVectors<T, Order::columns> {
  static constexpr About about{
      .title = "16-byte vectors, tiles down the columns",
      .idea = "blocks that run together fill whole rows of the result: memory is written in order",
      .source = "beyond 002"};
};

template <class T>
struct squares_in_order : ByVectors<T, Order::columns, How::squares> {
  static constexpr About about{
      .title = "Small squares turned in registers, tiles down the columns",
      .idea = "shared memory too is read and written by vectors only: fewer instructions a byte",
      .source = "beyond 002"};
};

// A thread turns a square of W x W elements, W vectors of 16 bytes; a warp has 8 squares in a row
// and 4 below one another; 8 warps stand below one another.
template <class T>
struct registers {
  using X = T;
  using Y = T;
  static constexpr About about{
      .title = "In registers",
      .idea = "each lane transposes a small square alone, without shared memory",
      .source = "beyond 002"};

  enum : int { W = 16 / sizeof(T), Across = 8 * W, Down = 32 * W, threads = 256 };

  ONEFOLD_POINT_KERNEL {
    const auto across = static_cast<unsigned>((a[1] + Across - 1) / Across);
    const auto t = m.thread();
    const auto row = m.block() / across * Down + t / 8 * W;
    const auto column = m.block() % across * Across + t % 8 * W;
    if (a[0] % W == 0 && a[1] % W == 0) {  // then no square straddles an edge
      if (!m.inside(column, a[1]) || !m.inside(row, a[0])) return;
      auto x16 = m.by_vector(x);
      auto y16 = m.as_vectors(y);
      Vector16<T> e[W];
      for (unsigned j = 0; j < W; ++j) e[j] = x16[((row + j) * a[1] + column) / W];
      for (unsigned k = 0; k < W; ++k) {
        Vector16<T> turned;
        for (int j = 0; j < W; ++j) turned.v[j] = e[j].v[k];
        y16[((column + k) * a[0] + row) / W] = turned;
      }
    } else {
      for (unsigned j = 0; j < W; ++j) {
        for (unsigned k = 0; k < W; ++k) {
          if (m.inside(column + k, a[1]) && m.inside(row + j, a[0])) {
            y[(column + k) * a[0] + row + j] = x[(row + j) * a[1] + column + k];
          }
        }
      }
    }
  }
};

}  // namespace onefold::lab::transpose
