// Folds a loop nest on a device: along some axes, or over elements that are not contiguous.
#pragma once

#include <span>

#include "backend/cuda/calls.hpp"
#include "backend/cuda/nest_launch.hpp"

namespace onefold::cuda_backend {

// Whether the kernels of whole arrays take a nest: they have no masks.
bool is_whole(const Plan& plan, const Nest& nest);

class LaunchedAxes {
 public:
  // The answers `first`.. of a nest, as its walk counts them.
  //   at       device addresses of the walk's first element
  //   answers  one for each op of the plan, of all the nest's answers; without any, states go to
  //            `states`, one after another, not canonical
  //   throws   what Kernels::get does
  LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
               std::span<const Destination> answers);
  LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
               uint64_t states, Size first, Size count);
  // Leaves the workspace spoilt.
  //   stream  a CUstream; null: the device's own
  //   states  where they go instead
  void queue(void* stream, Workspace& workspace, uint64_t states = 0) const {
    launch_.queue(stream, workspace, states);
  }

 private:
  void choose(const Plan& plan, const Nest& nest, KernelKey key);
  NestLaunch launch_;
};

}  // namespace onefold::cuda_backend
