// Runs a Plan where it says: on the processor or on a device.
#pragma once

#include "backend/backend.hpp"

namespace onefold::backend {

// The plan, if its backend can run it.
//   throws  no_backend, misaligned: before any work, even where there is nothing to fold
Plan checked(Plan plan);

// Gathers every answer's state and hands it over, canonical, as `done(answer, state)`: each answer
// once, in any order and from several threads.
//   threads  plan.threads, or one per core; the caller's thread is one of them
//   straight where answers to each op may be written instead; those are not handed over. Empty:
//            nowhere
//   throws   no_backend, device_failed, out_of_memory: for a device only
void run(const Plan& plan, const void* x, const void* y, const Done& done,
         std::span<std::byte* const> straight = {});

// On a device whose memory holds the arrays and all outputs: queues the work on the plan's stream,
// and returns. Otherwise nothing is done, and false.
bool queue(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs);

// The same of folds whose plans name one communicator, in one message of it.
//   throws  bad_option: their devices, streams or communicators differ
bool queue_ranks(std::span<const Queued> folds);

// Writes all answers and their statuses to memory of the host, where a backend rounds them itself;
// otherwise nothing is done, and false.
//   throws  as run
bool answer(const Plan& plan, const void* x, const void* y, std::span<const Output> outputs);

// Writes to an output, wherever it is.
void write(const Plan& plan, void* to, const void* from, std::size_t bytes);

// Adds the elements of a nest to states that exist, canonical before and after: those of answer a
// to states[a * plan.layout.words].
//   plan  all but its nest
void gather(const Plan& plan, const Nest& nest, const void* x, const void* y, int64_t* states);

// Adds elements that are yet to be read, such as a file's, to a state, where a backend reads into
// memory of its own; otherwise nothing is done, and false.
//   plan   all but its nest, and of no mask
//   first  the index of element 0
bool gather_read(const Plan& plan, Size elements, Size first, const Read& read, int64_t* state);

// Folds segments of an array on a device; plan.answers are as many. Outputs on the device: the work
// is queued on the plan's stream; of the host: with statuses, and waited for.
void segments(const Plan& plan, const Segments& segments, const void* x,
              std::span<const Output> outputs);

// Folds groups of an array on a device, an answer each. Outputs of the device or of the host;
// either is waited for.
//   throws  what labels.refuse throws, and nothing is written
void labels(const Plan& plan, const Labels& labels, const void* x, std::span<const Output> outputs);

}  // namespace onefold::backend
