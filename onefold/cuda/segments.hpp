// A fold of segments on a device.
#pragma once

#include <span>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/nest_launch.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::cuda_backend {

// The argument of a kernel that folds segments: segment i has the elements from offset i up to
// offset i + `ends`.
//   at, offsets  device addresses of the first elements (of arrays and mask), and of the offsets
NestInput input_of(const Plan& plan, const backend::Segments& segments, const Addresses& at,
                   uint64_t offsets, Size ends = 1);

class SegmentsLaunch {
 public:
  //   throws  what Kernels::get does
  SegmentsLaunch(Engine& engine, const Plan& plan, const NestInput& input,
                 std::span<const Destination> answers);
  // Queues the launches; leaves the workspace dirty.
  //   offsets  if not 0, where they are, in place of the input's
  void queue(void* stream, Workspace& workspace, uint64_t offsets = 0) const {
    launch_.queue(stream, workspace, {.offsets = offsets});
  }

 private:
  NestLaunch launch_;
};

}  // namespace onefold::cuda_backend
