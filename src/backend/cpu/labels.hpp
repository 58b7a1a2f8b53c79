// Folds groups of elements that have labels.
#pragma once

#include "backend/backend.hpp"

namespace onefold::cpu_backend {

// Folds job.labels: element x[i] belongs to group labels[i].
void fold_labels(const backend::Job& job);

enum class LabelSums : uint8_t {
  done,
  refused,    // other ops or types, or magnitudes too far apart: no answer was written
  bad_label,  // some label is not a group's number: no answer was written
};
// Computes sums and means without sorting. The elements must be contiguous.
LabelSums fold_label_sums(const backend::Job& job);

}  // namespace onefold::cpu_backend
