// What decides the bins of elements of one type.
#pragma once

#include <cstdint>
#include <vector>

namespace onefold {

// Keys are those of core/quantile/key.hpp.
struct KeyBins {
  std::vector<uint64_t> begin;  // the least key in each bin that an element can reach; they rise
  uint64_t last = 0;            // the greatest key in the last bin
  // (x - low) * per_unit is near x's bin; per_unit 0: there is no such rule.
  double low = 0, per_unit = 0;
};

}  // namespace onefold
