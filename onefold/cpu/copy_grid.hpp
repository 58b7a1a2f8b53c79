// Copies elements with any strides to contiguous memory.
#pragma once

#include <cstddef>

#include "onefold/cpu/feed.hpp"

namespace onefold::cpu_backend {

// Copies `outer` runs of `inner` elements of `bytes` bytes. Strides are in bytes: from run to run,
// and from element to element.
using CopyGrid = void(const std::byte* from, Size outer, int64_t outer_stride, Size inner,
                      int64_t inner_stride, std::size_t bytes, std::byte* to);

// Copies with the best instruction set that this processor has.
CopyGrid copy_grid;

CopyGrid* copy_grid_of(Target target);

// Returns whether rows of so many elements, without gaps, become columns by vector code.
constexpr bool turns_rows(Size length) {
  return length == 2 || length == 3 || length == 4 || length == 8;
}

}  // namespace onefold::cpu_backend
