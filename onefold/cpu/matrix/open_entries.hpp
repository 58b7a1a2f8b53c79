// Entries of a product of matrices that tiles do not decide.
#pragma once

#include <vector>

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

// An entry, and where its row of A and its column of B begin.
struct OpenEntry {
  Size answer;
  const std::byte *x, *y;
};

// Folds entries by exact words, those of a column one after another, and passes their states to
// `done`. Changes the order of the entries.
//   inner  the folded axis
void fold_entries(const Plan& plan, const Axis& inner, std::vector<OpenEntry>& entries, int threads,
                  const backend::Done& done);

}  // namespace onefold::cpu_backend
