// Data of the host on their way to one device or several.
//
//   lane   a thread with pinned memory, memory of a device and a stream: it takes the next piece,
//          copies it, queues its way and its fold, waits and merges. While one waits, others copy,
//          so neither the way nor the kernels stand still, and devices share the work as they are
//          quick. A lane has 16 MiB of pinned memory and as much on the device;
//          one device has 8, and several 12 together; of data that are pinned, 4 each.
#pragma once

#include "backend/backend.hpp"
#include "backend/cuda/engine.hpp"
#include "plan/plan.hpp"

namespace onefold::cuda_backend {

// Merges what a nest of neighbours gives into a state; x and y are its first elements, on the host.
void gather_by_lanes(const Plan& plan, const Nest& nest, const std::byte* x, const std::byte* y,
                     int64_t* state);

// The same of elements that are read piece by piece.
//   first  the index of element 0
void gather_read(const Plan& plan, Size elements, Size first, const backend::Read& read,
                 int64_t* state);

// Any nest on the several devices of the plan: neighbours by lanes, all else cut along its slowest
// axis, a part for each device. Data of a device are refused.
void gather_on_several(const Plan& plan, const Nest& nest, const void* x, const void* y,
                       int64_t* states);

}  // namespace onefold::cuda_backend
