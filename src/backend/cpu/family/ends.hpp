// min, max and the ops made of both (ptp, norminf) along axes, panel by panel.
#pragma once

#include <vector>

#include "backend/cpu/family/near.hpp"
#include "backend/cpu/panel.hpp"

namespace onefold::cpu_backend {

// The request of one op: the extreme element, or its index.
struct EndWanted {
  const PanelExtremes* ways;
  DType dtype;
  Recipe::Name name;  // least, greatest, ptp, norminf
  bool placed;
  Size bytes;      // bytes of an element
  std::byte* out;  // address of all answers

  bool joins() const { return name == Recipe::Name::ptp || name == Recipe::Name::norminf; }
  DType type() const {  // the type of the answers
    if (placed) return DType::i64;
    return joins() && !is_floating(dtype) ? DType::u64 : dtype;
  }
};

// Whether panels can answer it.
bool takes_end(const Shape& shape, const EndWanted& wanted);

// Answers it for a group. open: by answer, whether exact words are wanted; empty as long as none
// are.
void fold_end(const Shape& shape, const Nest& nest, const Group& group, const EndWanted& wanted,
              const Leaving& leaving, std::vector<uint8_t>& open);

}  // namespace onefold::cpu_backend
