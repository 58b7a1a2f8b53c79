// A prepared fold of device data, which can be queued any number of times.
#pragma once

#include <cstddef>
#include <span>

#include "backend/cuda/engine.hpp"
#include "onefold/kernel/answer/place.hpp"
#include "onefold/kernel/workspace.hpp"
#include "plan/plan.hpp"

namespace onefold::cuda_backend {

// The device addresses of an answer and its status, which may be null.
struct Destination {
  uint64_t value = 0, status = 0;
};

// The places of a plan's answers, in the order of the table, not of the request.
using Results = kernel::Results<Passed, kernel::all_ops>;
void place(Results& results, const Plan& plan, std::span<const Destination> answers);

// Elements that one fold on the device may have, if the plan has more: those go in pieces.
Size most_at_once(Engine& engine, const Plan& plan);

class Launched {
 public:
  // n elements at device addresses x (and y); `first` is the index of the first.
  //   answers  one for each op of the plan; without any, the words of the state go to
  //            workspace.state, not canonical
  //   throws   what Kernels::get does
  Launched(Engine& engine, const Plan& plan, uint64_t x, uint64_t y, Size n, Size first,
           std::span<const Destination> answers = {});
  // Leaves the workspace spoilt once something is launched.
  //   stream  a CUstream; null: the device's own
  //   state   where the words of the state go instead, on the device
  void queue(void* stream, Workspace& workspace, uint64_t state = 0) const;

 private:
  // A kernel takes as many of the places as it has ops.
  using Input = kernel::Input<Passed, std::byte>;
  Engine& engine_;
  struct Step {
    void* kernel = nullptr;
    jit::Gpu::Launch how;
  };
  std::vector<Step> queue_;  // the launches, by stage
  kernel::Stages stages_;
  Input input_;
  Results results_;
};

}  // namespace onefold::cuda_backend
