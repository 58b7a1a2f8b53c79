// Folds a loop nest on a device: along some axes, or over elements that are not contiguous.
#pragma once

#include <span>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/nest_launch.hpp"

namespace onefold::cuda_backend {

// Returns whether the kernels for whole arrays can fold a nest; they know no masks.
bool is_whole(const Plan& plan, const Nest& nest);
// Which kernels fold a plan's arrays.
//   whole   those for whole arrays (WholeLaunch): the host rounds, or the last block
//   row     one long row (RowLaunch): the last block rounds; behind it the former, if undecided
//   nest    those for axes and masks (AxesLaunch): warps round
//   matrix  those for products of matrices (MatrixLaunch)
//   exponential  those of logsumexp and its kin (ExponentialLaunch)
enum class Route : uint8_t { whole, row, nest, matrix, exponential };
Route route_of(Engine& engine, const Plan& plan, const Addresses& at);

// The argument of a kernel that folds a nest: its kept axes and then its folded ones, the fastest
// of each kind first.
NestInput input_of(const Plan& plan, const Nest& nest, const Addresses& at);

// Decides how a device folds a nest, and whether the kernel omits NaN.
//   answers  the numbers of this launch's answers
//   rounds   the device rounds the answers, from totals where it can; else it gathers states
//   all      number of multiprocessors of the device
//   few_f64  the device has few FP64 lanes
struct NestDeal {
  LaunchDeal dealt;
  bool selects = false;  // a mask, omitted NaN or an extra element: not all elements count
};
NestDeal deal_of(const Plan& plan, const Nest& nest, NestInput& input, const Results& results,
                 const kernel::Deal& answers, bool rounds, Size all, bool few_f64);

class AxesLaunch {
 public:
  // Folds the answers from `first` on, in the order of the nest's walk.
  //   at       device addresses of the walk's first elements
  //   answers  for each op of the plan, where the answers of the whole nest go; empty: states go to
  //            `states`, one after another, not canonical
  //   alone    RowLaunch folds undecided answers again, so no launch for them is queued
  //   throws   as Kernels::get
  AxesLaunch(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
             std::span<const Destination> answers, bool alone = false);
  AxesLaunch(Engine& engine, const Plan& plan, const Nest& nest, const Addresses& at,
             uint64_t states, Size first, Size count);
  // Queues the launches. The workspace is dirty (not zero) until they have ended.
  //   stream  a CUstream; null: the device's own
  //   states  if not 0, the device address to which states go instead
  void queue(void* stream, Workspace& workspace, uint64_t states = 0) const {
    launch_.queue(stream, workspace, {.states = states});
  }

 private:
  void choose(const Plan& plan, const Nest& nest, KernelKey key, bool alone = false);
  NestLaunch launch_;
};

// A whole array, folded as one long row; the kernels for whole arrays fold it again if the totals
// cannot decide an answer.
class RowLaunch {
 public:
  RowLaunch(Engine& engine, const Plan& plan, const Addresses& at,
            std::span<const Destination> answers)
      : row_(engine, plan, plan.nest, at, answers, true),
        again_(engine, plan, at.x, at.y, plan.elements, plan.nest.index, answers, true) {}
  void queue(void* stream, Workspace& workspace) const {
    row_.queue(stream, workspace);
    again_.queue(stream, workspace);
  }

 private:
  AxesLaunch row_;
  WholeLaunch again_;
};

}  // namespace onefold::cuda_backend
