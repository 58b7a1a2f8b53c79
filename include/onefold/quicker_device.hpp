// Chooses the device that folds data in host memory soonest. The bits are the same on all devices.
#pragma once

#include <string>

#include "onefold/array.hpp"

namespace onefold {

// How many bytes a second of host data this machine folds.
struct HostRates {
  double processor = 0;
  double devices = 0;  // all CUDA devices together; 0: there is none
};

// Measures by the sum of an array of f32, once a process for each number of threads; it uses 256
// MiB of memory meanwhile.
//   threads  0: one per core
//   cost     about half a second, most of it for opening the devices
HostRates host_rates(int threads = 0);

struct QuickerDevice {
  Device device;    // cpu, or cuda_all()
  std::string why;  // a sentence for users
};

// Returns the quicker device for so many bytes of host data. Below 16 GiB that is the processor,
// without a measurement: it finishes before devices are open.
QuickerDevice quicker_device(Size bytes, int threads = 0);

// Returns the quicker device, from given rates.
QuickerDevice quicker_device(Size bytes, const HostRates& rates);

}  // namespace onefold
