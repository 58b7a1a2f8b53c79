// The entries of a product of matrices of integers.
#pragma once

#include "onefold/cpu/matrix/tiles.hpp"

namespace onefold::cpu_backend {

// Stores a tile's sums of at most 2^20 products, of one or two words, as integers of a type.
// Returns how many are open: they do not fit the type, or may have been rounded.
Size decide_integers(const TileKernels& k, DType t, const double* sums, const double* low,
                     const TileBounds& bounds, std::byte* out, Entry* entries);

}  // namespace onefold::cpu_backend
