// Folds products of matrices by tiles: each element of a row is used for several columns.
#pragma once

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

// Computes all answers of a plan that is a product of matrices, and large enough. Returns false,
// and does nothing, if it is none. Answers are written to `out` in C order; those that tiles do not
// decide are passed to `done` as states.
bool fold_product(const Plan& plan, const void* x, const void* y, std::byte* out,
                  const backend::Done& done);

}  // namespace onefold::cpu_backend
