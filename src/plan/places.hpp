// Positions of answers that are not stored in C order.
#pragma once

#include "onefold/array.hpp"
#include "plan/nest.hpp"

namespace onefold {

// The same nest with other numbers of answers: answer (i, j, ..) of an array of this shape in C
// order gets the number i * strides[0] + j * strides[1] + ...
Nest with_places(const Nest& nest, const Dims& shape, const Dims& strides);

}  // namespace onefold
