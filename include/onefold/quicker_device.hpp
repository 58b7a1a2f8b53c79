// Where data of the host are folded soonest. The bits are the same everywhere.
#pragma once

#include <string>

#include "onefold/array.hpp"

namespace onefold {

// Bytes a second of data of the host that this machine folds.
struct HostRates {
  double processor = 0;
  double devices = 0;  // of all of CUDA's together; 0: there is none
};

// Measured with the sum of an array of f32, once a process for each number of threads; 256 MiB of
// memory while that lasts.
//   threads  0: one per core
//   cost     about half a second, most of it for opening the devices
HostRates host_rates(int threads = 0);

struct QuickerDevice {
  Device device;    // cpu, or cuda_all()
  std::string why;  // in a sentence
};

// The quicker place for so many bytes of the host; below 16 GiB the processor, unmeasured, for it
// is done before devices are open.
QuickerDevice quicker_device(Size bytes, int threads = 0);

// The same by given rates.
QuickerDevice quicker_device(Size bytes, const HostRates& rates);

}  // namespace onefold
