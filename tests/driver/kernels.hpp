// The kernels that the simulated device can run, found by the text that NVRTC would compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace onefold::test {

struct DeviceKernel {
  std::size_t argument_bytes[4];  // input, workspace, results, stages
  // Runs it on memory of the host; returns the machine's flaws in words.
  std::string (*run)(unsigned blocks, unsigned threads, const void* const* arguments);
};

// Null: none has this text; see kernels.cpp.
const DeviceKernel* find_kernel(const std::string& source);

}  // namespace onefold::test
