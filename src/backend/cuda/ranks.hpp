// A fold over NCCL: each rank's device holds a part of the data; the work is queued on a stream of
// this rank's device.
#pragma once

#include <optional>
#include <span>

#include "backend/cuda/axes.hpp"
#include "backend/cuda/launch.hpp"
#include "jit/nccl.hpp"
#include "onefold/kernel/ranks.hpp"

namespace onefold::cuda_backend {

// The states stay on the devices: each leaves its words, NCCL adds them and hands the extremes
// around, and each rounds all answers.
class LaunchedRanks {
 public:
  // from     device addresses of the walk's first element
  // answers  one for each op of the plan
  // throws   what Kernels::get does; bad_option: too many answers, another device's communicator;
  //          peer_failed: what NCCL says
  LaunchedRanks(Engine& engine, const Plan& plan, const Addresses& from,
                std::span<const Destination> answers);

  // Several of one communicator, in one message. Leaves the workspace spoilt.
  //   throws  bad_option: the states are too many
  static void queue(std::span<const LaunchedRanks> folds, void* stream, Workspace& workspace);

 private:
  // The addresses of a fold's words among the words of all folds.
  struct Words {
    uint64_t sum = 0, mine = 0, all = 0;
  };
  void place_of_answers(const Plan& plan);
  void leave(const Words& words, uint64_t state, void* stream, Workspace& workspace) const;
  void meet(const Words& words, Size apart, void* stream) const;
  kernel::Ranks<Passed> ranks_at(const Words& words) const;

  Engine& engine_;
  jit::Communicator comm_;
  std::optional<Launched> whole_;
  std::optional<LaunchedAxes> axes_;
  Size words_, carried_;  // numbers of words of all answers
  kernel::Ranks<Passed> ranks_ = {};
  Results results_;
  void* leave_ = nullptr;
  void* meet_ = nullptr;
  unsigned grid_;
};

}  // namespace onefold::cuda_backend
