// Folds a loop nest on a device: along some axes, or over elements that are not contiguous.
#pragma once

#include <span>

#include "backend/cuda/calls.hpp"
#include "backend/cuda/nest_launch.hpp"

namespace onefold::cuda_backend {

// Returns whether the kernels for whole arrays can fold a nest; they know no masks.
bool is_whole(const Plan& plan, const Nest& nest);

// The argument of a kernel that folds a nest: its kept axes and then its folded ones, the fastest
// of each kind first.
NestInput input_of(const Plan& plan, const Nest& nest, const Addresses& at);

// Decides how a device folds a nest, and sets whether the input omits NaN.
//   answers  the answers of this launch
//   rounds   the device rounds the answers, from totals where it can; else it gathers states
//   all      multiprocessors of the device
//   few_f64  it has few lanes of f64
struct NestDeal {
  Dealt dealt;
  bool selects = false;  // elements may be missing
};
NestDeal deal_of(const Plan& plan, const Nest& nest, NestInput& input, const Results& results,
                 const kernel::Deal& answers, bool rounds, Size all, bool few_f64);

class LaunchedAxes {
 public:
  // Folds the answers from `first` on, in the order of the nest's walk.
  //   at       device addresses of the walk's first elements
  //   answers  for each op of the plan, where the answers of the whole nest go; empty: states go to
  //            `states`, one after another, not canonical
  //   throws   as Kernels::get
  LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
               std::span<const Destination> answers);
  LaunchedAxes(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
               uint64_t states, Size first, Size count);
  // Queues the launches. The workspace is spoilt until they have ended.
  //   stream  a CUstream; null: the device's own
  //   states  if not 0, states go there instead
  void queue(void* stream, Workspace& workspace, uint64_t states = 0) const {
    launch_.queue(stream, workspace, states);
  }

 private:
  void choose(const Plan& plan, const Nest& nest, KernelKey key);
  NestLaunch launch_;
};

}  // namespace onefold::cuda_backend
