// One fold of device data, ready to be queued as often as wanted.
#pragma once

#include "backend/cuda/engine.hpp"
#include "plan/plan.hpp"

namespace onefold::cuda_backend {

class Launched {
 public:
  // n elements at device addresses x (and y); `first` is the index of the first.
  Launched(Engine& engine, const Plan& plan, uint64_t x, uint64_t y, Size n, Size first,
           const Workspace& workspace);
  // Queues the kernel: afterwards the words of the state are in workspace.state, not canonical.
  void queue(void* stream) const;

 private:
  // As kernel::Input<Gpu, T> lies in memory.
  struct Input {
    uint64_t x, y;
    Size n, first;
  };
  Engine& engine_;
  void* kernel_;
  jit::Gpu::Launch how_;
  Input input_;
  DeviceWorkspace workspace_;
  uint64_t state_;
};

}  // namespace onefold::cuda_backend
