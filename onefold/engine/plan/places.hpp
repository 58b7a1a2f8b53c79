// Positions of answers that are not stored in C order.
#pragma once

#include "onefold/array.hpp"
#include "onefold/engine/plan/nest.hpp"

namespace onefold {

// Returns the same nest with other answer numbers. In an array of this shape, answer (i, j, ..)
// gets the number i * strides[0] + j * strides[1] + ...
Nest with_places(const Nest& nest, const Dims& shape, const Dims& strides);

}  // namespace onefold
