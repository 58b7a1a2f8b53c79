// The loops of a product of matrices, for each instruction set.
//
//   panel   some rows of A, or columns of B, as f64 side by side: element k of vector v of a panel
//           is at [k * width + v]. Vectors that are missing in the last panel are 0
//   tile    the sums of products of a panel of A and one of B, [row * columns + column]
#pragma once

#include "onefold/core/dtype.hpp"
#include "onefold/engine/vectors.hpp"

namespace onefold::cpu_backend {

// Rows of A or columns of B in memory. Strides are in bytes.
struct MatrixSide {
  const std::byte* data = nullptr;
  int64_t step = 0, inner_step = 0;  // from vector to vector, from element to element
  Size vectors = 0, inner = 0;       // number of vectors, and of the elements of each
};

// What is known of each vector of a panel.
struct VectorFacts {
  double* norm;  // an upper bound of the Euclidean norm; infinite if an element is not finite
  double* grid;  // 1 if all elements are multiples of a unit, and the norm is below 2^26 of these
  int* power;    // the elements were multiplied by 2^-power
};

// What decides the entries of a tile.
struct TileBounds {
  VectorFacts a, b;
  double factor;                 // the error is below factor |a| |b|, or 0 if both have a grid
  const double* lost = nullptr;  // or, for each entry of the tile, below this
};

enum class TileSum {
  plain,    // of products, each exact or rounded once with the sum
  pairs,    // of products, two f64 for each entry; the second words follow the tile's first ones
  nonzero,  // the number of products whose factors are not 0
};
enum class Entry : uint8_t { open, decided, zero };

struct TileKernels {
  Size rows, columns;  // of a tile: the widths of panels of A and B
  // Copies up to `width` vectors, beginning with `first`, to a panel.
  void (*pack)(DType t, const MatrixSide& from, Size first, Size width, double* to);
  // Finds the facts of a panel; if `scale`, divides each vector by a power of two about its norm.
  void (*find)(double* panel, Size width, Size inner, bool scale, const VectorFacts& facts);
  // Adds n products to each entry.
  void (*add)(TileSum what, const double* a, const double* b, Size n, double* tile);
  // Rounds a tile's entries to a floating-point type, in C order. Returns how many are not decided.
  //   low   the second words of pairs, or null
  Size (*decide)(DType t, const double* tile, const double* low, const TileBounds& bounds,
                 std::byte* out, Entry* entries);
};
// Returns null for a target without vectors.
const TileKernels* tile_kernels(Target target);

}  // namespace onefold::cpu_backend
