// Folds with weights on a device.
#pragma once

#include <span>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/weighted/input.hpp"
#include "onefold/cuda/launch.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::cuda_backend {

using WeightedInput = kernel::WeightedInput<HostArguments, std::byte>;

// The launches of a fold with weights: one that adds, and one that recomputes answers which the
// totals leave undecided (kernel/weighted/).
class WeightedLaunch {
 public:
  // Device addresses of the first elements of the arrays.
  struct InputAddresses {
    uint64_t x = 0, y = 0, w = 0, mask = 0, offsets = 0;
  };
  //   segments  null: the plan's nest is folded
  //   throws  as Kernels::get
  WeightedLaunch(Engine& engine, const Plan& plan, const backend::Segments* segments,
                 const InputAddresses& at, std::span<const Destination> answers);
  // Queues the launches. The workspace is dirty until they have ended.
  void queue(void* stream, Workspace& workspace) const;

 private:
  struct Step {
    void* kernel = nullptr;
    unsigned grid = 0, shared_bytes = 0;
  };
  Engine& engine_;
  WeightedInput input_;
  Results results_;
  Step steps_[2];
};

// Makes the argument of these launches; decides which lanes add the elements of an answer.
//   all  number of multiprocessors
WeightedInput input_of(const Plan& plan, const backend::Segments* segments,
                       const WeightedLaunch::InputAddresses& at, Size all);

// Folds a job with weights into host memory, and waits. Segments may also go to device memory; then
// the work is only queued.
//   throws  no_backend: several devices
void fold_weighted(const backend::Job& job);
// Queues a job with weights; returns false if the weights are not on the device.
//   answers  device addresses of the answers
bool queue_weighted(Engine& engine, const backend::Job& job, std::span<const Destination> answers);

}  // namespace onefold::cuda_backend
