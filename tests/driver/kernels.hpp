// The kernels that the simulated device can run. kernels.cpp finds those of a source that NVRTC
// would compile; ptx_kernels.cpp runs any kernel of PTX that NVRTC has compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace onefold::test {

struct DeviceKernel {
  std::vector<std::size_t> argument_bytes;  // input, workspace, results, stages
  // Runs it on host memory; returns the flaws that the machine finds, in words.
  std::function<std::string(unsigned grid, unsigned threads, unsigned shared_bytes,
                            const void* const* arguments)>
      run;
};

// Finds a kernel of a module's image; the result lives as long as the process. Null: there is none.
const DeviceKernel* find_kernel(const std::string& image, const std::string& name);

// Finds the device memory that contains an address, for kernels: its begin and size, or {0, 0}.
std::pair<uint64_t, std::size_t> memory_at(uint64_t address);

}  // namespace onefold::test
