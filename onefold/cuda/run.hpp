// Runs a Plan on a CUDA device.
#pragma once

#include <span>

#include "onefold/engine/backend/backend.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cuda_backend {

extern const backend::Backend backend;

using backend::Output;

// Adds the elements of a nest to the states of its answers, which are canonical before and after.
// Waits for the stream.
//   plan    describes the fold, except its nest
//   states  those of answer 0 and the following ones
//   x, y    on the device or the host; host data are copied piece by piece
//   throws  no_backend: no driver, compiler or such device; device_failed, out_of_memory;
//           bad_option: a pointer or stream of another device, a stream that is being captured
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

// Queues the folds on the plans' stream and returns true, if the arrays and all outputs are on the
// device; else does nothing and returns false. Folds that share a communicator, device and stream
// are sent in one message.
//   throws  as gather
bool queue(std::span<const backend::Job> jobs);

// Folds a nest and writes the rounded answers to host memory. Returns false, and has done nothing,
// if states must be gathered instead, as for most whole arrays.
//   x, y    on the device or on the host
//   throws  as gather
bool answer(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs);

// Folds segments. Offsets may be unchecked: segments whose offsets are bad get a status that says
// so.
//   throws  as gather
void segments(const backend::Job& job);

// Folds groups after checking their labels; waits for the answers, wherever the outputs are.
//   throws  as gather; what labels.refuse throws
void labels(const Plan& plan, const backend::Labels& labels, const void* x,
            std::span<const Output> outputs, std::span<const QuantileLevel> quantiles = {});

// Writes to an output on the host or the device, and waits for that.
void write(const Plan& plan, void* to, const void* from, std::size_t bytes);

}  // namespace onefold::cuda_backend
