// Quantiles on a device: docs/decisions/0075-quantiles.md.
#pragma once

#include <span>
#include <vector>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"
#include "onefold/cuda/launch.hpp"

namespace onefold::cuda_backend {

using QuantileInput = kernel::QuantileSlices<HostArguments, std::byte>;

// The launches of quantiles of a plan's slices (kernel/quantile/quantile.hpp).
class QuantileLaunch {
 public:
  //   answers  device addresses of the answers, for each level
  //   throws   as Kernels::get
  QuantileLaunch(Engine& engine, const Plan& plan, const Addresses& at,
                 std::span<const Destination> answers, std::span<const QuantileLevel> levels);
  // Queues the launches. The workspace is dirty until they have ended.
  void queue(void* stream, Workspace& workspace) const;

 private:
  void* kernel(kernel::Walk walk, bool several = false) const;
  void queue_long(QuantileInput in, void* stream, Workspace& workspace) const;

  Engine& engine_;
  DType dtype_;
  bool is_short_;
  std::vector<QuantileInput> inputs_;  // of at most most_levels levels each
};

}  // namespace onefold::cuda_backend
