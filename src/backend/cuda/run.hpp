// Runs a Plan on a CUDA device.
#pragma once

#include <span>

#include "backend/backend.hpp"
#include "plan/plan.hpp"

namespace onefold::cuda_backend {

extern const backend::Backend backend;

using backend::Output;

// Adds the elements of a nest to the states of its answers, canonical before and after. Waits for
// the stream.
//   plan    all but its nest
//   states  of answer 0 and those that follow
//   x, y    on the device, or anywhere on the host: then they travel in pieces
//   throws  no_backend: no driver, compiler or such device; device_failed, out_of_memory;
//           bad_option: a pointer or a stream of elsewhere, a stream that is being captured
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

// Queues the fold and the rounding of its answers on the plan's stream, and returns, if the arrays
// and all outputs are on the device; otherwise nothing is done, and false. Folds over one
// communicator, on one device and stream, go in one message.
//   throws  as gather
bool queue(std::span<const backend::Job> jobs);

// Folds a nest that is no whole array, and writes its answers and their statuses to memory of the
// host; otherwise nothing is done, and false.
//   x, y    on the device or on the host
//   throws  as gather
bool answer(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs);

// Folds segments. Nobody has to have looked at their offsets: a status says where they are bad.
//   throws  as gather
void segments(const Plan& plan, const backend::Segments& segments, const void* x, const void* y,
              std::span<const Output> outputs);

// Folds groups, whose labels are looked at first; waits for the answers, wherever they go.
//   throws  as gather; what labels.refuse throws
void labels(const Plan& plan, const backend::Labels& labels, const void* x,
            std::span<const Output> outputs);

// Writes to an output of either place, and waits for that.
void write(const Plan& plan, void* to, const void* from, std::size_t bytes);

}  // namespace onefold::cuda_backend
