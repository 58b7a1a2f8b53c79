// Walks the elements of an answer, wherever its strides put them.
#pragma once

#include <cstddef>
#include <span>

#include "plan/plan.hpp"

namespace onefold::cpu_backend {

class Walk {
 public:
  // Stands at element `index` of the dimensions, in C order.
  Walk(std::span<const Dimension> dims, Size index);

  int64_t offset() const { return offset_; }
  int64_t offset_y() const { return offset_y_; }
  // Elements from here to the end of the innermost dimension.
  Size run_left() const;
  // Moves on by at most run_left() elements.
  void skip(Size n);
  // Copies the next n elements, of `bytes` bytes each, to `to` (and of y, if it is not null).
  void pack(const std::byte* x, const std::byte* y, Size n, std::size_t bytes, std::byte* to,
            std::byte* to_y);

 private:
  std::span<const Dimension> dims_;
  Size at_[max_rank] = {};
  int64_t offset_ = 0, offset_y_ = 0;
};

}  // namespace onefold::cpu_backend
