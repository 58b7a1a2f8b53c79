// The launches of one fold of a loop nest or of segments, in order. All have the same
// arguments.
#pragma once

#include <vector>

#include "onefold/cuda/deal.hpp"
#include "onefold/cuda/engine.hpp"

namespace onefold::cuda_backend {

// Device addresses that replace those of a launch's arguments, if not 0.
struct MovedMemory {
  uint64_t states = 0, offsets = 0;
};

struct NestLaunch {
  struct Step {
    kernel::Walk walk;
    unsigned grid, threads;
    kernel::OpSet number = 0;  // kernel::by_digits, or 0
    void* kernel = nullptr;
    unsigned shared_bytes = 0;
  };
  Engine& engine;
  NestInput input;
  Results results;
  kernel::Deal deal;
  std::vector<Step> steps;  // empty if there are no answers
  bool notes = false;       // the last step recomputes undecided answers

  // Adds the kernel that recomputes undecided answers.
  void add_undecided(kernel::Walk behind, kernel::OpSet number = 0);
  // Adds a walk, and the kernel that recomputes answers which the walk may leave undecided.
  //   behind  the `Walk` of that second kernel
  void add(const Plan& plan, const LaunchDeal& dealt, kernel::Walk behind);
  // Finds the kernels of all steps; missing ones are compiled in parallel.
  //   key  the key of any of them
  void find(const KernelKey& key);
  // Queues the launches. The workspace is dirty until they have ended.
  //   stream  a CUstream; null: the device's own
  void queue(void* stream, Workspace& workspace, const MovedMemory& moved = {}) const;
};

}  // namespace onefold::cuda_backend
