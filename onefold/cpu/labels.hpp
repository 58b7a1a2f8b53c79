// Folds groups of elements that have labels.
#pragma once

#include <memory>
#include <vector>

#include "onefold/engine/backend/backend.hpp"

namespace onefold::cpu_backend {

// An order of elements by their labels, found by counting; the elements of a group keep theirs.
class LabelOrder {
 public:
  // throws  what labels.refuse throws, if some label is no group's number
  LabelOrder(const backend::Labels& labels, Size n);
  bool rises() const { return rises_; }  // labels never decrease
  // Where each group begins among the sorted elements; then their number.
  const std::vector<int64_t>& offsets() const { return offsets_; }
  // Copies the elements, in this order, to contiguous memory.
  //   stride  from one to the next, in bytes
  std::unique_ptr<std::byte[]> sort(const void* x, int64_t stride, Size bytes) const;

 private:
  template <std::size_t bytes>
  void sort_to(std::byte* to, std::vector<int64_t>& next, const std::byte* x, int64_t stride) const;

  const backend::Labels labels_;
  Size n_;
  bool rises_ = true;
  std::vector<int64_t> offsets_;
};

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
