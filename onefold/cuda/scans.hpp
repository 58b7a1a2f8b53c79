// Scans on a device: answer i of a line is the fold of its first i + 1 elements.
#pragma once

#include <span>

#include "onefold/cuda/calls.hpp"
#include "onefold/cuda/kernel/scan/input.hpp"
#include "onefold/cuda/launch.hpp"
#include "onefold/engine/backend/backend.hpp"

namespace onefold::cuda_backend {

using ScanInput = kernel::Scan<HostArguments, std::byte>;

// The launches of a scan (kernel/scan/scan.hpp).
class ScanLaunch {
 public:
  //   at       device addresses of the windows' nest
  //   answers  device addresses of the answers
  //   throws   as Kernels::get
  ScanLaunch(Engine& engine, const Plan& plan, const backend::Windows& windows, const Addresses& at,
             std::span<const Destination> answers);
  // Queues the launches. The workspace is dirty until they have ended.
  //   offsets  device address of windows.anew, if the scan begins anew
  void queue(void* stream, Workspace& workspace, uint64_t offsets = 0) const;
  // Bytes of the workspace that they use.
  Size bytes() const;
  // Elements of the longest segments that are scanned; of others nothing is written.
  Size longest() const { return input_.longest; }

 private:
  bool is_cut() const { return input_.parts > 1; }
  void choose_parts(const KernelShape& shape, Size tile, bool small, Size all);
  void launch(kernel::ScanStep step, Size blocks, uint64_t states, uint64_t offsets,
              void* stream) const;

  Engine& engine_;
  ScanInput input_;
  Results results_;
  void* kernel_ = nullptr;
  Size words_;  // of a state
  unsigned threads_ = 0;
};

}  // namespace onefold::cuda_backend
