// min, max, norminf, and ptp, which is made of both ends, along axes, panel by panel.
#pragma once

#include <vector>

#include "onefold/cpu/family/near.hpp"
#include "onefold/cpu/panel.hpp"

namespace onefold::cpu_backend {

// What one op asks for: the extreme element, or its index.
struct ExtremeRequest {
  const PanelExtremes* ways;
  DType dtype;
  Statistic of;    // least, greatest, ptp, norminf
  bool placed;     // the answer is the index of the extreme
  Size bytes;      // bytes of an element
  std::byte* out;  // where the answers are written

  // Whether the answer is made of the least and the greatest element.
  bool joins() const {
    return of == Statistic::ptp || (of == Statistic::norminf && !by_magnitude());
  }
  bool by_magnitude() const { return of == Statistic::norminf && is_floating(dtype); }
  DType type() const {  // the type of the answers
    if (placed) return DType::i64;
    return joins() && !is_floating(dtype) ? DType::u64 : dtype;
  }
};

// Into how many parts the elements of a group are cut, and how many threads fold the parts.
struct GroupSplit {
  Size parts = 1;
  int threads = 1;
};

// Returns whether panels can compute the op.
bool takes_end(const Shape& shape, const ExtremeRequest& wanted);

// Computes the op for one group. open[i] becomes 1 if answer i needs exact words; the vector stays
// empty while no answer does.
void fold_end(const Shape& shape, const Nest& nest, const Group& group,
              const ExtremeRequest& wanted, const ElementFilter& leaving, GroupSplit dealt,
              std::vector<uint8_t>& open);

// Computes the order keys of the extremes of one group. exact[i] becomes 0 if answer i has a NaN;
// then its key means nothing.
void gather_keys(const Shape& shape, const Nest& nest, const Group& group,
                 const ExtremeRequest& wanted, int64_t* keys, uint8_t* exact);

}  // namespace onefold::cpu_backend
