// A line of elements in memory without gaps.
#pragma once

#include <cstddef>

#include "onefold/core/base.hpp"

namespace onefold::cpu_backend {

// Element i is at x + i * bytes, for those i that a fold reads.
struct Line {
  const std::byte* x = nullptr;
  const std::byte* y = nullptr;
  const std::byte* taken = nullptr;  // a byte for each element, 0: .where leaves it out; or null

  bool takes(Size i) const { return taken == nullptr || taken[i] != std::byte{0}; }
};

}  // namespace onefold::cpu_backend
