// logsumexp, softmax and their kin on a device: docs/decisions/0071-logsumexp-on-a-device.md.
#pragma once

#include <span>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/exponential/input.hpp"
#include "onefold/cuda/launch.hpp"

namespace onefold::cuda_backend {

using ExponentialInput = kernel::Exponential<HostArguments, std::byte>;

// The launches of a plan with a RowFunction (kernel/exponential/exponential.hpp).
class ExponentialLaunch {
 public:
  //   at       device addresses of the plan's nest; of a function with answers for elements, y is
  //            that of the answers
  //   answers  device addresses of the answers, if there is one for each slice
  //   throws   as Kernels::get; unsupported: more slices than a launch has blocks for
  ExponentialLaunch(Engine& engine, const Plan& plan, const Addresses& at,
                    std::span<const Destination> answers);
  // Queues the launches. The workspace is dirty until they have ended.
  void queue(void* stream, Workspace& workspace) const;

 private:
  void set_scale(const PlannedScale& scale);
  Size most_held() const;
  // Chooses the threads of a slice, and its parts.
  void choose(bool wide, Size all);
  void choose_states(KernelKey key, Size all);
  struct Launched {
    Size blocks;
    unsigned threads, shared_bytes;
    void* stream;
  };
  void launch(void* kernel, const Launched& l, ExponentialInput in,
              kernel::Scratch<HostArguments> scratch) const;
  void queue_answers(void* stream, Workspace& workspace) const;
  void queue_states(void* stream, Workspace& workspace) const;

  Engine& engine_;
  ExponentialInput input_;
  void *first_ = nullptr, *again_ = nullptr;
  Size bytes_;            // of an element
  bool held_ = false;     // threads of the first launch hold their elements
  unsigned threads_ = 0;  // of its blocks
  unsigned again_shared_ = 0;
  unsigned merge_team_ = 1;  // threads that merge the states of a slice
};

}  // namespace onefold::cuda_backend
