// The launches of one fold of a loop nest or of segments, in their order; all have the same
// arguments.
#pragma once

#include <vector>

#include "backend/cuda/deal.hpp"
#include "backend/cuda/engine.hpp"

namespace onefold::cuda_backend {

struct NestLaunch {
  struct Step {
    kernel::Walk walk;
    unsigned grid, threads;
    uint32_t number = 0;  // kernel::by_digits, or 0
    void* kernel = nullptr;
  };
  Engine& engine;
  NestInput input;
  Results results;
  kernel::Deal deal;
  std::vector<Step> steps;  // empty if there are no answers
  bool notes = false;       // the last step recomputes undecided answers

  // Adds the walk, with the kernel for what it leaves undecided where it may leave some.
  //   behind  the walk that does those
  void add(const Plan& plan, const Dealt& dealt, kernel::Walk behind);
  // Finds the kernels of all steps, compiled side by side where they are not there yet.
  //   key  of any of them
  void find(const KernelKey& key);
  // Leaves the workspace spoilt.
  //   stream  a CUstream; null: the device's own
  //   states  where they go instead
  void queue(void* stream, Workspace& workspace, uint64_t states = 0) const;
};

}  // namespace onefold::cuda_backend
