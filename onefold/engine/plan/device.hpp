// Chooses the device of a plan: the one that holds the data, or the one that the caller names.
#pragma once

#include "onefold/options.hpp"

namespace onefold {

struct Plan;

// Chooses device, stream and communicator of a plan whose ops are known.
//   throws  bad_option: arrays or a mask on different devices, a stream or ranks without a device
void choose_device(Plan& plan, const ArrayRef& x, const ArrayRef* y, const Options& options);

}  // namespace onefold
