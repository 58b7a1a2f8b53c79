// Positions of answers that are not stored in C order.
#pragma once

#include "onefold/array.hpp"
#include "plan/nest.hpp"

namespace onefold {

// The same elements, whose answers are numbered otherwise: answer (i, j, ..) of C order in an
// array of this shape becomes i * strides[0] + j * strides[1] + ...
Nest with_places(const Nest& nest, const Dims& shape, const Dims& strides);

}  // namespace onefold
