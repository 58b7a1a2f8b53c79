// Iterates over the elements of an answer with any strides, and copies them into a tile.
#pragma once

#include <cstddef>
#include <span>

#include "onefold/array.hpp"
#include "onefold/engine/plan/nest.hpp"

namespace onefold::cpu_backend {

class Walk {
 public:
  // Starts at element i of the loops over `axes`.
  Walk(std::span<const Axis> axes, Size i);

  int64_t offset() const { return offset_; }
  int64_t offset_y() const { return offset_y_; }
  int64_t offset_mask() const { return offset_mask_; }  // in mask units
  // The number of elements from here to the end of the innermost axis.
  Size run_left() const;
  // Advances by n <= run_left() elements.
  void skip(Size n);
  // Advances by any number of elements.
  void advance(Size n);
  // Copies the next n elements of `bytes` bytes each: those of x to `to`, and those of y to `to_y`
  // if y is not null.
  void pack(const std::byte* x, const std::byte* y, Size n, std::size_t bytes, std::byte* to,
            std::byte* to_y);

 private:
  std::span<const Axis> axes_;
  Size at_[max_rank] = {};
  int64_t offset_ = 0, offset_y_ = 0, offset_mask_ = 0;
};

}  // namespace onefold::cpu_backend
