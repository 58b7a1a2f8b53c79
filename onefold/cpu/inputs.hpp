// The current positions of a loop in its inputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace onefold::cpu_backend {

// Positions in one or two arrays and in their mask.
struct Inputs {
  const std::byte* x = nullptr;
  const std::byte* y = nullptr;  // null: one input
  int64_t mask = 0;              // position in the mask, in mask units (bytes or bits)
  Inputs at(int64_t offset_x, int64_t offset_y, int64_t offset_mask = 0) const {
    return {x + offset_x, y == nullptr ? nullptr : y + offset_y, mask + offset_mask};
  }
};

}  // namespace onefold::cpu_backend
