// A prepared fold of device data, which can be queued repeatedly.
#pragma once

#include <cstddef>
#include <span>

#include "onefold/cuda/engine.hpp"
#include "onefold/cuda/kernel/answer/place.hpp"
#include "onefold/cuda/kernel/workspace.hpp"
#include "onefold/engine/plan/plan.hpp"

namespace onefold::cuda_backend {

// The device addresses of an answer and its status, which may be null.
struct Destination {
  uint64_t value = 0, status = 0;
};

// Addresses of a plan's answers, in the order of the table of ops, not of the request.
using Results = kernel::Results<HostArguments, kernel::all_ops>;
void place(Results& results, const Plan& plan, std::span<const Destination> answers);

// Returns how many elements one fold on the device may have; a longer array is folded in pieces.
Size most_at_once(Engine& engine, const Plan& plan);

class WholeLaunch {
 public:
  // Prepares a fold of n elements at device addresses x (and y); `first` is the first one's index.
  //   answers  one for each op of the plan; without any, the words of the state go to
  //            workspace.state, not canonical
  //   if_undecided  folds only if a long row before it is undecided (kernel::Deal::alone)
  //   throws   as Kernels::get
  WholeLaunch(Engine& engine, const Plan& plan, uint64_t x, uint64_t y, Size n, Size first,
              std::span<const Destination> answers = {}, bool if_undecided = false);
  // Queues the launches. The workspace is dirty from the first launch until they have ended.
  //   stream  a CUstream; null: the device's own
  //   state   if not 0, the device address where the state's words go instead
  void queue(void* stream, Workspace& workspace, uint64_t state = 0) const;

 private:
  using Input = kernel::Input<HostArguments, std::byte>;
  Engine& engine_;
  struct Step {
    void* kernel = nullptr;
    jit::Gpu::Launch how;
  };
  std::vector<Step> queue_;  // the launches, by stage
  kernel::Stages stages_;
  Input input_;
  Results results_;  // a kernel with fewer ops reads only the first destinations
};

}  // namespace onefold::cuda_backend
