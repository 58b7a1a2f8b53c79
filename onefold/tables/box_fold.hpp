// Folds pieces of files. A piece is a part of a loop nest whose axes are in the order of the file
// and whose strides are distances in the file.
#pragma once

#include "onefold/engine/plan/nest.hpp"

namespace onefold {
struct Plan;
}

namespace onefold::io {

// Folds the elements [begin, end) of the walk over `file` into the states of all answers. These
// elements lie at x (and y) without holes.
//   plan  its nest is not used
//   file  has at least one axis
void fold_range(const Plan& plan, const Nest& file, Size begin, Size end, const std::byte* x,
                const std::byte* y, int64_t* states);

}  // namespace onefold::io
