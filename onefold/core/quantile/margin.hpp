// How far a quantile's bracket reaches in a sample.
#pragma once

#include "onefold/core/exact/square_root.hpp"
#include "onefold/core/quantile/place.hpp"

namespace onefold {

// Ranks of a sample of s keys between a level and a border of its bracket: four standard deviations
// of the number of keys below the level. One bracket in 16,000 does not contain its level.
inline Size bracket_margin(const QuantileLevel& level, Size s) {
  const double q = static_cast<double>(level.part) / static_cast<double>(level.of);
  return 2 + static_cast<Size>(4 * square_root(static_cast<double>(s) * (q * (1 - q))));
}

}  // namespace onefold
