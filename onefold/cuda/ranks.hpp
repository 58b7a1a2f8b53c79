// A fold over NCCL: each rank's device holds a part of the data; the work is queued on a stream of
// this rank's device.
#pragma once

#include <optional>
#include <span>

#include "onefold/cuda/axes.hpp"
#include "onefold/cuda/kernel/ranks.hpp"
#include "onefold/cuda/launch.hpp"
#include "onefold/system/jit/nccl.hpp"

namespace onefold::cuda_backend {

// States stay on the devices: each rank writes its words, NCCL adds them and gathers the extremes,
// and each rank rounds all answers.
class RanksLaunch {
 public:
  //   from     device addresses of the nest's first elements
  // answers  one for each op of the plan
  // throws   as Kernels::get; bad_option: too many answers, a communicator of another device;
  //          peer_failed: an error of NCCL
  RanksLaunch(Engine& engine, const Plan& plan, const Addresses& from,
              std::span<const Destination> answers);

  // Queues several folds of one communicator, with one message for all. The workspace is dirty
  // after it.
  //   throws  bad_option: the states are too many
  static void queue(std::span<const RanksLaunch> folds, void* stream, Workspace& workspace);

 private:
  // Offsets of one fold's words within the message of all folds.
  struct MessageOffsets {
    uint64_t sum = 0, mine = 0, all = 0;
  };
  void place_of_answers(const Plan& plan);
  void leave(const MessageOffsets& words, uint64_t state, void* stream, Workspace& workspace) const;
  void meet(const MessageOffsets& words, Size apart, void* stream) const;
  kernel::Ranks<HostArguments> ranks_at(const MessageOffsets& words) const;

  Engine& engine_;
  jit::Communicator comm_;
  std::optional<WholeLaunch> whole_;
  std::optional<AxesLaunch> axes_;
  Size words_, carried_;  // number of added and of gathered words, for all answers
  kernel::Ranks<HostArguments> ranks_ = {};
  Results results_;
  void* leave_ = nullptr;
  void* meet_ = nullptr;
  unsigned grid_;
};

}  // namespace onefold::cuda_backend
