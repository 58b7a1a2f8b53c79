// What the branching kernels of `divergence` share: two ways of mixing a number, as long as each
// other.
//
//   sizes  0: rounds
#pragma once

#include "lab/text.hpp"

namespace onefold::lab {

ONEFOLD_KERNEL uint32_t one_way(uint32_t v, Size rounds) {
  for (Size k = 0; k < rounds; ++k) v = (v ^ (v >> 15)) * 0x2c1b3c6du + 1u;
  return v;
}
ONEFOLD_KERNEL uint32_t other_way(uint32_t v, Size rounds) {
  for (Size k = 0; k < rounds; ++k) v = (v ^ (v >> 12)) * 0x297a2d39u + 3u;
  return v;
}

}  // namespace onefold::lab
