// What the kernels of `transpose` share. A block takes a square tile of a matrix, some rows at a
// time; its threads stand in rows of the tile's width, as in text 002.
//
//   sizes  0: rows of the matrix that is read, 1: its columns
#pragma once

#include "lab/text.hpp"

namespace onefold::lab {

// The first row and column of a block's tile.
struct Corner {
  unsigned row, column;
};

// How tiles follow one another.
enum class Order {
  rows,
  columns,    // down the columns, and so along the rows of the result
  diagonals,  // so that blocks that run at one time write to different columns of tiles, and hence
              // to different partitions of memory
  squares,  // of 16 x 16, square after square along the rows; at the lower edge the squares are as
            // low as what is left
};
template <Order order, int Tile, class M>
ONEFOLD_KERNEL Corner corner(M m, const Sizes& a) {
  const auto across = static_cast<unsigned>((a[1] + Tile - 1) / Tile);
  const auto down = static_cast<unsigned>((a[0] + Tile - 1) / Tile);
  const unsigned b = m.block();
  if constexpr (order == Order::rows) {
    return {b / across * Tile, b % across * Tile};
  } else if constexpr (order == Order::columns) {
    return {b % down * Tile, b / down * Tile};
  } else if constexpr (order == Order::diagonals) {
    const unsigned row = b % down;
    return {row * Tile, (b / down + row) % across * Tile};
  } else {
    constexpr unsigned edge = 16;
    const unsigned band = b / (across * edge), in_band = b % (across * edge);
    const unsigned height = down - band * edge < edge ? down - band * edge : edge;
    const unsigned square = in_band / (edge * height);
    const unsigned width = across - square * edge < edge ? across - square * edge : edge;
    const unsigned in_square = in_band - square * edge * height;
    return {(band * edge + in_square / width) * Tile, (square * edge + in_square % width) * Tile};
  }
}

// Tile::place(row, column) is where an element of the tile stands in shared memory.
template <class Tiles, class T, int Tile, int Rows, class M, class X, class Y>
ONEFOLD_KERNEL void transpose_tile(M m, X x, Y y, const Sizes& a, Corner from) {
  auto s = shared<T, Tiles::words, Tiles>(m);
  const auto tx = m.thread() % Tile, ty = m.thread() / Tile;
  {
    const auto row = from.row + ty, column = from.column + tx;
    for (unsigned i = 0; i < Tile; i += Rows) {
      if (m.inside(column, a[1]) && m.inside(row + i, a[0])) {
        s[Tiles::place(ty + i, tx)] = x[(row + i) * a[1] + column];
      }
    }
  }
  m.sync();
  const auto row = from.column + ty, column = from.row + tx;
  for (unsigned i = 0; i < Tile; i += Rows) {
    if (m.inside(column, a[0]) && m.inside(row + i, a[1])) {
      y[(row + i) * a[0] + column] = s[Tiles::place(tx, ty + i)];
    }
  }
}

}  // namespace onefold::lab
