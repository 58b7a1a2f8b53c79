// Least and greatest elements along axes, panel by panel.
#pragma once

#include <vector>

#include "backend/cpu/family/shape.hpp"
#include "backend/cpu/panel.hpp"

namespace onefold::cpu_backend {

// What one op asks for: the element, or where it stands.
struct EndWanted {
  const PanelExtremes* ways;
  bool greatest, placed;
  Size bytes;      // of an element
  std::byte* out;  // of all answers
};

// Whether panels can answer it.
bool takes_end(const Shape& shape, const Nest& nest, const EndWanted& wanted);

// Answers it for a group. open: by answer, whether exact words are wanted; empty as long as none
// are.
void fold_end(const Shape& shape, const Group& group, const EndWanted& wanted,
              std::vector<uint8_t>& open);

}  // namespace onefold::cpu_backend
