// Folds with weights on a device.
#pragma once

#include <span>

#include "backend/backend.hpp"
#include "backend/cuda/calls.hpp"
#include "backend/cuda/launch.hpp"
#include "onefold/kernel/weighted/input.hpp"

namespace onefold::cuda_backend {

using WeightedInput = kernel::WeightedInput<Passed, std::byte>;

// The launches of a fold whose plan has weights: one that adds, and one for what totals do not
// decide (kernel/weighted/).
class LaunchedWeighted {
 public:
  // Device addresses of the first elements.
  struct Places {
    uint64_t x = 0, y = 0, w = 0, mask = 0, offsets = 0;
  };
  //   segments  null: there are none
  //   throws  as Kernels::get
  LaunchedWeighted(Engine& engine, const Plan& plan, const backend::Segments* segments,
                   const Places& at, std::span<const Destination> answers);
  // Queues the launches. The workspace is spoilt until they have ended.
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

// The argument of these launches, and which lanes add the elements of an answer.
//   all  multiprocessors of the device
WeightedInput input_of(const Plan& plan, const backend::Segments* segments,
                       const LaunchedWeighted::Places& at, Size all);

// Folds a job whose plan has weights, into memory of the host, and waits; segments also into memory
// of the device, and then the work is queued.
//   throws  no_backend: several devices
void fold_weighted(const backend::Job& job);
// Queues such a job, or returns false if the weights are not on the device.
//   answers  where they go on the device
bool queue_weighted(Engine& engine, const backend::Job& job, std::span<const Destination> answers);

}  // namespace onefold::cuda_backend
