// Folds over NCCL. Every rank of a communicator has a part of the data on its device; each gets the
// bits that one device gives for all the data.
//
//   onefold::fold_into(outs, "mean,var", part, {.device = onefold::cuda(0), .stream = s,
//                                               .nccl = comm});
//
// The call queues the fold, one ncclAllReduce of int64 (and one ncclAllGather if there are
// extremes) and the rounding on the stream, and returns without waiting. States stay on the
// devices, and the call can be captured into a graph. All ranks call it with the same ops, type,
// policy and shape of answers. For argmin and argmax, .first is the index of the part's first
// element.
//
//   status   mismatch, with the value 0: the ranks asked for different folds, or the call was made
//            between ncclGroupStart and ncclGroupEnd, which is not allowed
//   throws   peer_failed: an error that NCCL reports, also one of an earlier collective;
//            bad_option: the communicator belongs to another device, or .initial is given. Other
//            ranks then wait until the communicator is aborted
//   NCCL     the library links none; it uses the NCCL of the process that made the communicator
//
// States of the host are merged by `allreduce` below.
#pragma once

#include "onefold/states.hpp"

namespace onefold::nccl {

// The arguments of onefold::fold_into for one of several folds, whose states go in one message.
struct Fold {
  std::span<const OutputRef> outs;
  std::string_view ops;
  ArrayRef x;
  Options options = {};
};

// Queues several folds with one message for all, for example the norms of all gradients: one
// ncclAllReduce and at most one ncclAllGather. All ranks call it with the same list.
//   throws  as fold_into with .nccl, before anything is queued; bad_option: .device, .stream or
//           .nccl differ, two outputs share memory, weights
void fold_into(std::span<const Fold> folds);

// Returns the merged state of all ranks, with equal bytes on each. A rank may pass State(), which
// holds no elements.
//   comm     an ncclComm_t
//   stream   a cudaStream_t of its device; null: CUDA's default
//   error    the error that this rank has instead of a state: then all ranks throw it, with this
//            rank's number
//   throws   as State::merge, naming the rank; peer_failed: NCCL reports an error while the call
//            waits, or the other ranks do not call within `seconds`
//   cost     two collectives; the states of all ranks on each
State allreduce(const State& mine, void* comm, void* stream = nullptr, const Error* error = nullptr,
                double seconds = 600);
// Does the same for the states of many slices.
States allreduce(const States& mine, void* comm, void* stream = nullptr,
                 const Error* error = nullptr, double seconds = 600);

}  // namespace onefold::nccl
