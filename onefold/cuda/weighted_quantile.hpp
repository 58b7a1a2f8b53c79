// Weighted quantiles on a device: docs/decisions/0075-quantiles.md.
#pragma once

#include <span>
#include <vector>

#include "onefold/cuda/kernel/quantile/weights.hpp"
#include "onefold/cuda/weighted.hpp"

namespace onefold::cuda_backend {

using WeightedQuantilesInput = kernel::WeightedQuantiles<HostArguments, std::byte>;

// The launches of weighted quantiles of a plan's slices or segments (kernel/quantile/weights.hpp):
// one, or of long slices one for each read.
class WeightedQuantileLaunch {
 public:
  //   in       slices, or segments with their offsets
  //   answers  device addresses of the answers, for each level
  //   throws   as Kernels::get
  WeightedQuantileLaunch(Engine& engine, const Plan& plan, const WeightedInput& in,
                         std::span<const Destination> answers,
                         std::span<const QuantileLevel> levels);
  // Queues the launches. The workspace is dirty until they have ended.
  void queue(void* stream, Workspace& workspace) const;

 private:
  void queue_long(WeightedQuantilesInput in, void* stream, Workspace& workspace) const;

  Engine& engine_;
  unsigned passes_ = 0;  // the most digits of a key
  bool is_long_ = false;
  void* kernel_ = nullptr;
  std::vector<WeightedQuantilesInput> inputs_;  // of at most most_levels levels each
};

}  // namespace onefold::cuda_backend
