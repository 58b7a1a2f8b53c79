// Quantiles on a device: docs/decisions/0075-quantiles.md.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/quantile/input.hpp"
#include "onefold/cuda/launch.hpp"
#include "onefold/cuda/nest_launch.hpp"

namespace onefold::cuda_backend {

using QuantileInput = kernel::QuantileSlices<HostArguments, std::byte>;

// Returns the arguments of launches of up to most_levels levels each, which write to these answers.
template <class Input>
std::vector<Input> by_levels(const Input& one, std::span<const Destination> answers,
                             std::span<const QuantileLevel> levels) {
  std::vector<Input> inputs;
  for (std::size_t k = 0; k < levels.size(); k += kernel::most_levels) {
    Input& some = inputs.emplace_back(one);
    some.levels =
        static_cast<unsigned>(std::min<std::size_t>(levels.size() - k, kernel::most_levels));
    for (unsigned l = 0; l < some.levels; ++l) {
      some.out[l] = answers[k + l].value;
      some.status[l] = answers[k + l].status;
      some.has_status[l] = answers[k + l].status != 0;
      some.level[l] = levels[k + l];
    }
  }
  return inputs;
}

// The launches of quantiles of a plan's slices or segments (kernel/quantile/quantile.hpp).
class QuantileLaunch {
 public:
  //   nest      slices, or segments with their offsets
  //   answers   device addresses of the answers, for each level
  //   segments  how many there are, or windows; 0: slices
  //   throws    as Kernels::get
  QuantileLaunch(Engine& engine, const Plan& plan, const NestInput& nest,
                 std::span<const Destination> answers, std::span<const QuantileLevel> levels,
                 Size segments = 0);
  // Whether queue() waits for the lengths of segments on this stream: the longest have launches for
  // themselves.
  bool waits(void* stream) const;
  // Queues the launches. The workspace is dirty until they have ended.
  //   offsets  as SegmentsLaunch has it
  void queue(void* stream, Workspace& workspace, uint64_t offsets = 0) const;

 private:
  // Whether a kernel is compiled anew for masks.
  bool selects(kernel::Walk walk) const;
  //   several  as kernel::quantiles has it
  void* kernel(kernel::Walk walk, bool several = false) const;
  void queue_blocks(void* kernel, QuantileInput in, Size n, Size blocks, unsigned threads,
                    void* stream) const;
  void queue_segments(QuantileInput in, void* stream, Workspace& workspace) const;
  void queue_listed(QuantileInput in, void* stream, Workspace& workspace) const;
  void queue_long(QuantileInput in, void* stream, Workspace& workspace) const;

  Engine& engine_;
  DType dtype_;
  bool masks_, is_segments_, is_short_;
  std::vector<QuantileInput> inputs_;  // of at most most_levels levels each
};

}  // namespace onefold::cuda_backend
