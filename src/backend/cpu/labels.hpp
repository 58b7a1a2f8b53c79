// Folds groups of elements that have labels.
#pragma once

#include "backend/backend.hpp"

namespace onefold::cpu_backend {

// Folds job.labels: x[i] goes into the group of number labels[i].
void fold_labels(const backend::Job& job);

enum class LabelSums : uint8_t {
  done,
  refused,    // other ops or types, or elements of too many sizes: nothing is put out
  bad_label,  // some label is no group's number: nothing is put out
};
// Sums and means, without sorting; elements are neighbours.
LabelSums fold_label_sums(const backend::Job& job);

}  // namespace onefold::cpu_backend
