// Runs a Plan of one answer on a CUDA device.
#pragma once

#include "plan/plan.hpp"

namespace onefold::cuda_backend {

// Adds the elements to a state that exists, canonical before and after.
//   x, y    on the device, or anywhere on the host: then they travel in pieces
//   throws  no_backend: no driver, compiler or such device; device_failed, out_of_memory
void gather(const Plan& plan, const void* x, const void* y, int64_t* state);

}  // namespace onefold::cuda_backend
