// The exponent range of one of the two arrays of products (product_windows.hpp).
#pragma once

#include "onefold/machine/machine.hpp"

namespace onefold::kernel {

// Tells which elements of one of the two arrays windows can hold.
template <int fraction, int binades>
struct ProductSpan {
  int anchor;
  uint32_t limit, floor;  // bounds of magnitudes, as high words

  ONEFOLD_KERNEL void set_anchor(int e) {
    anchor = e;
    const int top = e < 0x7f800000 >> fraction ? e : 0x7f800000 >> fraction;
    limit = static_cast<uint32_t>(top) << fraction;
    floor = e - binades <= 1 ? 0 : static_cast<uint32_t>(e - binades) << fraction;
  }
  ONEFOLD_KERNEL static uint32_t threshold_of(int e) {
    return e - binades <= 1 ? 1 : static_cast<uint32_t>(e - binades) << (fraction + 1);
  }
  // Returns whether windows hold a chunk. It may return false for a chunk that has zeros.
  template <class Reach>
  ONEFOLD_KERNEL bool lacks(const Reach& r) const {
    return r.top() >= limit || bit_cast<uint32_t>(r.least) < floor;
  }
  ONEFOLD_KERNEL bool lacks(uint32_t top, uint32_t least) const {
    return top >= limit || least < threshold_of(anchor) - 1;
  }
};

}  // namespace onefold::kernel
