// The measurements behind the rates of quicker_device.
#pragma once

#include "onefold/quicker_device.hpp"

namespace onefold {

// Measures the rates with arrays of `bytes` bytes.
HostRates measure_rates(Size bytes, int threads);

}  // namespace onefold
