// Bins of an array on a device.
#pragma once

#include "onefold/array.hpp"
#include "onefold/engine/plan/key_bins.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cuda_backend {

// Counts the elements in each bin, and waits for that.
//   plan    has the array's device and stream
//   x       contiguous
//   counts  bins.begin.size() numbers on the host
void count_bins(const Plan& plan, const ArrayRef& x, const KeyBins& bins, int64_t* counts);
// Writes the bin of each element, or -1, to memory of the device, and waits for that.
void write_bins(const Plan& plan, const ArrayRef& x, const KeyBins& bins, int64_t* places);

}  // namespace onefold::cuda_backend
