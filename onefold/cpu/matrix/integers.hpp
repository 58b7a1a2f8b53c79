// The entries of a product of matrices of integers.
#pragma once

#include "onefold/cpu/matrix/tiles.hpp"

namespace onefold::cpu_backend {

// With more elements in a row, second words of sums could be rounded.
inline constexpr Size most_integers = Size{1} << 20;

// Stores a tile's sums, of one or two words, as integers of a type. Returns how many are open: they
// do not fit the type, or may have been rounded.
Size decide_integers(const TileKernels& k, DType t, const double* sums, const double* low,
                     const TileBounds& bounds, std::byte* out, Entry* entries);

}  // namespace onefold::cpu_backend
