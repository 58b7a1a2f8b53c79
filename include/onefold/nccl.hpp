// Folds over NCCL: every rank of a communicator has a part of the data on its device, and gets the
// bits that one device gives for all of it.
//
//   onefold::fold_into(outs, "mean,var", part, {.device = onefold::cuda(0), .stream = s,
//                                               .nccl = comm});
//
// That queues the fold, one ncclAllReduce of int64 (and one ncclAllGather where there are extremes)
// and the rounding on the stream, and returns: states stay on the devices, nothing is waited for,
// and the call can be captured into a graph. All ranks call it with the same ops, type, policy and
// shape of answers; .first is where a rank's part begins, for argmin and argmax.
//
//   status   mismatch, and the value 0: the ranks did not add up the same, or have not yet, as
//            between ncclGroupStart and ncclGroupEnd, where a call must not stand
//   throws   peer_failed: what NCCL reports, also of an earlier collective; bad_option: the
//            communicator is of another device; there is an .initial. Other ranks then wait until
//            it is aborted
//   NCCL     is found in the process, not linked: the one that made the communicator
//
// States of the host are merged by `allreduce` below.
#pragma once

#include "onefold/states.hpp"

namespace onefold::nccl {

// One of several folds whose states travel together: the arguments of onefold::fold_into.
struct Fold {
  std::span<const OutputRef> outs;
  std::string_view ops;
  ArrayRef x;
  Options options = {};
};

// Queues several folds with one message for all, such as the norms of all gradients: one
// ncclAllReduce, and at most one ncclAllGather. All ranks call it with the same list.
//   throws  as fold_into with .nccl, before anything is queued; bad_option: .device, .stream or
//           .nccl differ, two outputs share memory, weights
void fold_into(std::span<const Fold> folds);

// The state of all ranks, on each of them: equal bytes everywhere. A rank may bring State(), which
// is nothing.
//   comm     an ncclComm_t
//   stream   a cudaStream_t of its device; null: CUDA's default
//   error    what this rank has to say instead of a state: then all ranks throw it, with its number
//   throws   as State::merge, naming the rank; peer_failed: NCCL reports an error, which is looked
//            for while it is waited, or the ranks do not come within `seconds`
//   cost     two collectives; the states of all ranks on each
State allreduce(const State& mine, void* comm, void* stream = nullptr, const Error* error = nullptr,
                double seconds = 600);
// The same of many slices.
States allreduce(const States& mine, void* comm, void* stream = nullptr,
                 const Error* error = nullptr, double seconds = 600);

}  // namespace onefold::nccl
