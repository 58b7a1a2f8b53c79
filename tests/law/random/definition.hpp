// A fold by its definition: `lift` of each accumulator, one element at a time, and the op's
// formula. It judges ops that the oracle does not have.
#pragma once

#include <span>

#include "generate.hpp"
#include "onefold/engine/plan/table.hpp"
#include "onefold/fold.hpp"

namespace onefold::law {

//   y        null: an op of one array
//   index    the index of each element
//   initial  is the last element of x
Value by_definition(const OpRow& op, const test::Data& x, const test::Data* y,
                    std::span<const Size> index, const Options& options);

}  // namespace onefold::law
