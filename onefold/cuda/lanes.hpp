// Copies host data to one device or several, and folds them there.
//
//   lane   a thread with pinned memory, memory of a device and a stream. It takes the next piece,
//          copies it to pinned memory, queues the transfer and the fold, waits and merges. While
//          one lane waits, others copy, so neither the bus nor the kernels idle, and a quicker
//          device does more of the work. A lane has 16 MiB of pinned memory and as much on the
//          device. One device has 8 lanes, several devices have 12 together; if the data are pinned
//          already, each device has 4.
#pragma once

#include "onefold/cuda/engine.hpp"
#include "onefold/engine/backend/backend.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cuda_backend {

// Folds a contiguous nest of host data by copy lanes, and merges the result into `state`; x and y
// are the addresses of its first elements.
void gather_by_lanes(const Plan& plan, const Nest& nest, const std::byte* x, const std::byte* y,
                     int64_t* state);

// Does the same for elements that a function reads piece by piece.
//   first  the index of element 0
void gather_read(const Plan& plan, Size elements, Size first, const backend::Read& read,
                 int64_t* state);

// Folds a nest on the several devices of the plan: contiguous elements by copy lanes; another nest
// is cut along its slowest axis, one part for each device. Refuses data that are on a device.
void gather_on_several(const Plan& plan, const Nest& nest, const void* x, const void* y,
                       int64_t* states);

}  // namespace onefold::cuda_backend
