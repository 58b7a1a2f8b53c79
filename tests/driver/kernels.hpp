// The kernels that the simulated device can run, found by the source that NVRTC would compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace onefold::test {

struct DeviceKernel {
  std::size_t argument_bytes[4];  // input, workspace, results, stages
  // Runs it on host memory; returns the flaws that the machine finds, in words.
  std::string (*run)(unsigned blocks, unsigned threads, const void* const* arguments);
};

// Returns null if no kernel has this source; see kernels.cpp.
const DeviceKernel* find_kernel(const std::string& source);

}  // namespace onefold::test
